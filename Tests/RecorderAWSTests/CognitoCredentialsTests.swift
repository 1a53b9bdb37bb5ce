import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CognitoCredentialsTests {
    @Test func `a guest gets an identity, then keys for it`() async throws {
        let server = try LocalServer(Self.pool)
        let source = try cognito(server)
        let credentials = try await source.credentials()
        let expected = Credentials(
            accessKeyID: "AKID-id-1",
            secretAccessKey: "secret",
            sessionToken: "token",
            expiration: Date(timeIntervalSince1970: 4_000_000_000.5)
        )
        #expect(credentials == expected)
        #expect(try await source.identityID() == "id-1")
        #expect(
            server.requests.map { $0.header("X-Amz-Target") } == [
                "AWSCognitoIdentityService.GetId", "AWSCognitoIdentityService.GetCredentialsForIdentity",
            ]
        )
        #expect(server.requests.map(\.text) == [#"{"IdentityPoolId":"pool"}"#, #"{"IdentityId":"id-1"}"#])
        #expect(server.requests.allSatisfy { $0.header("Authorization") == nil })
        #expect(server.requests[0].header("Content-Type") == "application/x-amz-json-1.1")
    }

    @Test func `logins go with both calls`() async throws {
        let server = try LocalServer(Self.pool)
        _ = try await cognito(server, logins: ["accounts.example.com": "jwt"]).credentials()
        let logins = #""Logins":{"accounts.example.com":"jwt"}}"#
        #expect(server.requests.allSatisfy { $0.text.hasSuffix(logins) })
    }

    @Test func `a known identity is not asked for again`() async throws {
        let server = try LocalServer(Self.pool)
        let source = try cognito(server, identityID: "known")
        #expect(try await source.credentials()?.accessKeyID == "AKID-known")
        #expect(server.requests.map(\.operation) == ["GetCredentialsForIdentity"])
    }

    @Test func `a hundred callers at once share one refresh`() async throws {
        let server = try LocalServer(Self.pool)
        let source = try cognito(server)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 { group.addTask { try await source.credentials()?.accessKeyID } }
            for try await id in group { #expect(id == "AKID-id-1") }
        }
        #expect(server.requests.map(\.operation) == ["GetId", "GetCredentialsForIdentity"])
    }

    @Test func `invalidated keys are fetched again for the same identity`() async throws {
        let server = try LocalServer(Self.pool)
        let source = try cognito(server)
        _ = try await source.credentials()
        _ = try await source.credentials()
        source.invalidate()
        _ = try await source.credentials()
        let operations = server.requests.map(\.operation)
        #expect(operations == ["GetId", "GetCredentialsForIdentity", "GetCredentialsForIdentity"])
    }

    @Test(arguments: ["ResourceNotFoundException", "NotAuthorizedException"])
    func `a refused identity is dropped and the pair tried once more`(code: String) async throws {
        let server = try LocalServer { request, index in
            request.text.contains("stale") ? .error(400, code) : Self.pool(request, index)
        }
        let source = try cognito(server, identityID: "stale")
        #expect(try await source.credentials()?.accessKeyID == "AKID-id-1")
        #expect(try await source.identityID() == "id-1")
        let operations = server.requests.map(\.operation)
        #expect(operations == ["GetCredentialsForIdentity", "GetId", "GetCredentialsForIdentity"])
    }

    @Test func `a pool that refuses every identity is an error that names it`() async throws {
        let server = try LocalServer { request, index in
            request.operation == "GetId" ? Self.pool(request, index) : .error(400, "NotAuthorizedException")
        }
        let failure = await failure(of: try cognito(server))
        #expect(failure?.underlying?.kind == .denied)
        #expect(failure?.message.contains("pool") == true)
        #expect(server.requests.count == 4)
    }

    @Test func `an identity that the service replaces is replaced here`() async throws {
        let server = try LocalServer { request, index in
            Self.pool(request, index, identity: "merged")
        }
        let source = try cognito(server, identityID: "old")
        _ = try await source.credentials()
        #expect(try await source.identityID() == "merged")
    }

    @Test func `an answer without keys is an error that quotes nothing`() async throws {
        let server = try LocalServer { _, _ in .json(200, #"{"Credentials":{"SecretKey":"canary"}}"#) }
        let failure = await failure(of: try cognito(server, identityID: "id"))
        #expect(failure?.underlying?.kind == .unreadable)
        #expect(failure.map { "\($0)".contains("canary") } == false)
    }

    @Test func `an outage passes: the next call asks again`() async throws {
        let server = try LocalServer { request, index in
            index < 4 ? .error(500, "InternalErrorException") : Self.pool(request, index)
        }
        let source = try cognito(server)
        #expect(await failure(of: source)?.underlying?.kind == .transient)
        #expect(try await source.credentials() != nil)
    }

    @Test func `keys hold as long as the service says, though this clock is years off`() async throws {
        let server = try LocalServer { request, index in
            Self.pool(request, index, date: "Sun, 30 Aug 2015 12:36:00 GMT", expiration: 1_440_938_160 + 3600)
        }
        let source = try cognito(server, now: { Date(timeIntervalSince1970: 0) })
        #expect(try await source.credentials()?.expiration == Date(timeIntervalSince1970: 3600))
        _ = try await source.credentials()
        #expect(server.requests.count == 2)
    }

    private static func pool(_ request: ReceivedRequest, _ index: Int) -> Reply {
        pool(request, index, date: "")
    }

    private static func pool(
        _ request: ReceivedRequest,
        _ index: Int,
        date: String = "",
        identity: String? = nil,
        expiration: Double = 4_000_000_000.5
    ) -> Reply {
        let headers = [HTTPHeader("Date", date)]
        if request.operation == "GetId" { return .json(200, #"{"IdentityId":"id-1"}"#, headers: headers) }
        let asked = request.text.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
        let id = identity ?? asked
        let keys =
            #"{"AccessKeyId":"AKID-\#(id)","SecretKey":"secret","SessionToken":"token","Expiration":\#(expiration)}"#
        return .json(200, #"{"IdentityId":"\#(id)","Credentials":\#(keys)}"#, headers: headers)
    }

    private func cognito(
        _ server: LocalServer,
        logins: [String: String] = [:],
        identityID: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CognitoCredentials {
        CognitoCredentials(
            identityPoolID: "pool",
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: server.url),
            logins: logins,
            identityID: identityID,
            now: now,
            pause: { _ in }
        )
    }

    private func failure(of source: CognitoCredentials) async -> CredentialsFailure? {
        do throws(CredentialsFailure) {
            _ = try await source.credentials()
            return nil
        } catch {
            return error
        }
    }
}
