import AWSKinesis
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Credentials against a service that validates signatures and policies.
@Suite(.timeLimit(.minutes(10))) struct CheckedAccessTests {
    @Test func `guests and users put records where their policy's ARN allows it, and nowhere else`() async throws {
        let server = try await CheckedServer()
        let pool = server.setUp.poolId
        let environment = ["AWS_ENDPOINT_URL": server.url]
        let guest = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: pool, environment: environment)
        let classic = AWSCognitoCredentialsProvider(
            regionType: .USEast1,
            identityPoolId: pool,
            unauthRoleArn: server.setUp.guestRole,
            environment: environment
        )
        let providers: [(String, any AWSCredentialsProvider)] = [
            ("guest", guest), ("classic", classic), ("user", provider(server.setUp.user)),
        ]
        for (name, provider) in providers {
            let recorder = try recorder(server, provider)
            _ = try await recorder.saveRecord(Data(name.utf8), streamName: "guarded").value
            #expect(await recorder.submitAllRecords().failure() == nil, "\(name)")
            #expect(recorder.diskBytesUsed == 0, "\(name)")
            _ = try await recorder.saveRecord(Data(name.utf8), streamName: "forbidden").value
            let error = try #require(await recorder.submitAllRecords().failure(), "\(name)")
            #expect(error.domain == AWSServiceErrorDomain)
            #expect(error.code == AWSServiceErrorType.accessDeniedException.rawValue, "\(error)")
            #expect(recorder.diskBytesUsed > 0)
        }
        #expect(try await server.records(of: "guarded") == ["guest", "classic", "user"])
        #expect(try await server.records(of: "forbidden").isEmpty)
        await server.stop()
    }

    @Test func `requests in CBOR are signed, and understood by another service`() async throws {
        let server = try await CheckedServer()
        let recorder = try recorder(server, provider(server.setUp.user))
        recorder.requestFormat = .cbor
        for text in ["one", "two", "ü"] {
            _ = try await recorder.saveRecord(Data(text.utf8), streamName: "guarded").value
        }
        #expect(await recorder.submitAllRecords().failure() == nil)
        #expect(try await server.records(of: "guarded") == ["one", "two", "ü"])
        _ = try await recorder.saveRecord(Data("x".utf8), streamName: "forbidden").value
        let error = try #require(await recorder.submitAllRecords().failure())
        #expect(error.code == AWSServiceErrorType.accessDeniedException.rawValue, "\(error)")
        #expect(try await server.requests().count { $0.operation == "PutRecords" && $0.isCBOR } == 2)
        await server.stop()
    }

    @Test func `a service at an IPv6 address works, signatures included`() async throws {
        guard LocalSocket.hasIPv6 else { return print("R23 skipped: this machine has no ::1.") }
        let server = try await CheckedServer(on: "[::1]")
        let recorder = try recorder(server, provider(server.setUp.user))
        _ = try await recorder.saveRecord(Data("six".utf8), streamName: "guarded").value
        #expect(await recorder.submitAllRecords().failure() == nil)
        #expect(recorder.diskBytesUsed == 0)
        #expect(try await server.records(of: "guarded") == ["six"])
        await server.stop()
    }

    @Test func `a wrong secret and an unknown key are refused, each with its own error, and the records stay`()
        async throws
    {
        let server = try await CheckedServer()
        let user = server.setUp.user
        let refusals: [(any AWSCredentialsProvider, AWSServiceErrorType)] = [
            (
                AWSStaticCredentialsProvider(accessKey: user.accessKeyId, secretKey: "a-wrong-secret"),
                .invalidSignatureException
            ),
            (
                AWSStaticCredentialsProvider(accessKey: "AKIA0000000000000000", secretKey: user.secretAccessKey),
                .unrecognizedClientException
            ),
            (
                AWSBasicSessionCredentialsProvider(
                    accessKey: user.accessKeyId,
                    secretKey: user.secretAccessKey,
                    sessionToken: "a-wrong-token"
                ),
                .unrecognizedClientException
            ),
        ]
        for (provider, type) in refusals {
            let recorder = try recorder(server, provider)
            _ = try await recorder.saveRecord(Data("kept".utf8), streamName: "guarded").value
            let error = try #require(await recorder.submitAllRecords().failure())
            #expect(error.domain == AWSServiceErrorDomain)
            #expect(error.code == type.rawValue, "\(error)")
            #expect(recorder.diskBytesUsed > 0)
        }
        #expect(try await server.records(of: "guarded").isEmpty)
        await server.stop()
    }

    @Test func `a request that is two hours off is refused with its own error, and the records stay`() async throws {
        let server = try await CheckedServer(clockAhead: 7_200)
        let recorder = try recorder(server, provider(server.setUp.user))
        _ = try await recorder.saveRecord(Data("kept".utf8), streamName: "guarded").value
        let error = try #require(await recorder.submitAllRecords().failure())
        #expect(error.domain == AWSServiceErrorDomain)
        #expect(error.code == AWSServiceErrorType.invalidSignatureException.rawValue, "\(error)")
        #expect(error.localizedDescription.contains("Signature expired"))
        #expect(error.localizedDescription.contains("clock"))
        #expect(recorder.diskBytesUsed > 0)
        await server.stop()
    }

    @Test(arguments: [1, .max]) func `expired keys are renewed once`(expiredAnswers: Int) async throws {
        let expired = Countdown(expiredAnswers)
        let server = try LocalServer { request, _ in
            switch request.operation {
            case "GetId": .json(200, #"{"IdentityId":"us-east-1:id"}"#)
            case "GetCredentialsForIdentity": CanaryTests.keys("\(expired.left)")
            default: expired.takeOne() ? .error(400, "ExpiredTokenException") : CanaryTests.taken
            }
        }
        let provider = AWSCognitoCredentialsProvider(
            regionType: .USEast1,
            identityPoolId: "us-east-1:pool",
            environment: ["AWS_ENDPOINT_URL": server.url]
        )
        let configuration = try #require(
            AWSServiceConfiguration(
                region: .USEast1,
                endpoint: AWSEndpoint(urlString: server.url),
                credentialsProvider: provider
            )
        )
        let recorder = try recorder(configuration)
        _ = try await recorder.saveRecord(Data("x".utf8), streamName: "stream").value
        let error = await recorder.submitAllRecords().failure()
        let operations = server.requests.compactMap(\.operation)
        #expect(
            operations == [
                "GetId", "GetCredentialsForIdentity", "PutRecords", "GetCredentialsForIdentity", "PutRecords",
            ]
        )
        #expect((error == nil) == (expiredAnswers == 1))
        #expect((recorder.diskBytesUsed == 0) == (expiredAnswers == 1))
        if let error {
            #expect(error.domain == AWSServiceErrorDomain)
            #expect(error.code == AWSServiceErrorType.expiredToken.rawValue)
        }
    }

    // MARK: helpers

    private func provider(_ keys: MotoServer.Keys) -> AWSStaticCredentialsProvider {
        AWSStaticCredentialsProvider(accessKey: keys.accessKeyId, secretKey: keys.secretAccessKey)
    }

    private func recorder(
        _ server: CheckedServer,
        _ provider: any AWSCredentialsProvider
    ) throws -> AWSKinesisRecorder {
        let endpoint = try #require(AWSEndpoint(urlString: server.url))
        return try recorder(
            try #require(AWSServiceConfiguration(region: .USEast1, endpoint: endpoint, credentialsProvider: provider))
        )
    }

    private func recorder(_ configuration: AWSServiceConfiguration) throws -> AWSKinesisRecorder {
        _ = Recorders.path
        let key = UUID().uuidString
        AWSKinesisRecorder.register(with: configuration, forKey: key)
        return try #require(AWSKinesisRecorder(forKey: key))
    }
}

/// True for a number of times, then false.
final class Countdown: Sendable {
    private let rest: Locked<Int>

    init(_ count: Int) {
        rest = Locked(count)
    }

    var left: Int { rest.withLock { $0 } }

    func takeOne() -> Bool {
        rest.withLock { rest in
            defer { rest = max(0, rest - 1) }
            return rest > 0
        }
    }
}
