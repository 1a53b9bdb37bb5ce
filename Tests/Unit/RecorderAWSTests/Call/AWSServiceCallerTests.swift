import Foundation
import RecordFormats
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct AWSServiceCallerTests {
    @Test func `a call is one signed post of JSON 1.1`() async throws {
        let harness = try CallHarness { _, _ in .json(200, #"{"ok":1}"#) }
        let response = try await harness.caller.call("PutRecords", body: Array(#"{"a":1}"#.utf8))
        #expect(response.body == Array(#"{"ok":1}"#.utf8))
        let request = try #require(harness.server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/")
        #expect(request.text == #"{"a":1}"#)
        #expect(request.header("X-Amz-Target") == "Kinesis_20131202.PutRecords")
        #expect(request.header("Content-Type") == "application/x-amz-json-1.1")
        #expect(request.header("User-Agent")?.hasPrefix("swift-aws-recorder/0.1.0 lib/curl/") == true)
        let authorization = try #require(request.header("Authorization"))
        #expect(authorization.contains("/us-east-1/kinesis/aws4_request"))
        #expect(authorization.contains("SignedHeaders=content-type;host;x-amz-date;x-amz-target,"))
    }

    @Test func `the received request is the signed one`() async throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let harness = try CallHarness(now: { date }) { _, _ in .json(200, "{}") }
        _ = try await harness.caller.call("PutRecords", body: Array("{}".utf8))
        let request = try #require(harness.server.requests.first)
        let names = ["Content-Type", "Host", "X-Amz-Date", "X-Amz-Target"]
        let canonical = CanonicalRequest(
            method: .post,
            path: request.path,
            headers: names.map { HTTPHeader($0, request.header($0) ?? "") },
            payloadHash: Digest.hex(Digest.sha256(request.body))
        )
        let signer = SigV4Signer(region: "us-east-1", service: "kinesis")
        let key = signer.signingKey(secret: Canary.secret, at: date)
        let signature = SigV4Signer.signature(of: signer.stringToSign(canonical, at: date), with: key)
        #expect(request.header("Authorization")?.hasSuffix("Signature=\(signature)") == true)
    }

    @Test func `without credentials a call goes unsigned`() async throws {
        let harness = try CallHarness(credentials: AnonymousCredentials()) { _, _ in .json(200, "{}") }
        #expect(await harness.failure() == nil)
        #expect(harness.server.requests[0].header("Authorization") == nil)
        #expect(harness.server.requests[0].header("X-Amz-Date") == nil)
    }

    @Test func `a successful response is returned unchanged, valid or not`() async throws {
        let harness = try CallHarness { _, _ in .html(200, "<html>Welcome to the hotel</html>") }
        let response = try await harness.caller.call("PutRecords", body: [])
        #expect(response.body == Array("<html>Welcome to the hotel</html>".utf8))
    }

    @Test func `a refusal is final`() async throws {
        for code in ["AccessDeniedException", "ResourceNotFoundException", "ValidationException", "NeverHeardOf"] {
            let harness = try CallHarness { _, _ in .error(400, code) }
            #expect(await harness.failure()?.code == code)
            #expect(harness.server.requests.count == 1)
            #expect(harness.pauses.all.isEmpty)
        }
    }

    @Test func `a redirect is final and not followed`() async throws {
        let elsewhere = try LocalServer { _, _ in .json(200, "{}") }
        let target = elsewhere.url
        let harness = try CallHarness { _, _ in .json(307, "", headers: [HTTPHeader("Location", target)]) }
        #expect(await harness.failure()?.kind == .redirect)
        #expect(harness.server.requests.count == 1)
        #expect(elsewhere.connectionCount == 0)
    }

    @Test func `without credentials the call fails and nothing is sent`() async throws {
        let harness = try CallHarness(credentials: EnvironmentCredentials([:])) { _, _ in .json(200, "{}") }
        guard case .credentials(let cause) = await harness.failure()?.kind else {
            Issue.record("not a credentials failure")
            return
        }
        #expect(cause.kind == .notConfigured)
        #expect(harness.server.connectionCount == 0)
    }

    @Test func `cancelling ends a call that waits for its response`() async throws {
        let harness = try CallHarness { _, _ in .stall }
        let call = Task { await harness.failure() }
        await harness.server.received(1)
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
        #expect(harness.server.requests.count == 1)
    }

    @Test func `cancelling ends a call that waits to try again`() async throws {
        let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
        var configuration = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: server.url),
            credentials: AnonymousCredentials()
        )
        configuration.pause = { _ in try await Task.sleep(for: .seconds(3600)) }
        let caller = AWSServiceCaller(.kinesis, configuration: configuration)
        let call = Task { () -> ServiceFailure? in
            do throws(ServiceFailure) {
                _ = try await caller.call("PutRecords", body: [])
                return nil
            } catch {
                return error
            }
        }
        await server.received(1)
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
    }

    @Test func `secrets are in no failure`() async throws {
        let keys = Canary.credentials
        for code in ["AccessDeniedException", "InvalidSignatureException", "ExpiredTokenException"] {
            let harness = try CallHarness(credentials: StaticCredentials(keys)) { _, _ in .error(400, code) }
            let failure = try #require(await harness.failure())
            var text = "\(failure) \(String(reflecting: failure))"
            dump(failure, to: &text)
            #expect(!text.lowercased().contains("canary"))
        }
    }
}
