import AWSCore
import AWSKinesisClient
import AmplifyFoundationBridge
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite struct RenewalTests {
    @Test(arguments: ClientKind.allCases)
    func `an adapted provider that caches keys is told when the service refuses them`(kind: ClientKind) async throws {
        let server = try LocalServer { request, _ in Self.refusal(of: request) ?? ReceivedPut(request).reply() }
        let provider = CachingProvider()
        let client = try TestClient(kind, to: server.url) {
            $0.provider = SDKToFoundationCredentialsAdapter(provider: provider)
        }
        for text in ["first", "second"] {
            try await client.record(text)
            #expect(try await client.flush().recordsFlushed == 1)
        }
        #expect(server.requests.count == 3)
    }

    @Test func `so is one that a service client uses`() async throws {
        let server = try LocalServer { request, _ in
            Self.refusal(of: request) ?? .json(200, #"{"StreamNames":[],"HasMoreStreams":false}"#)
        }
        let adapters = (0..<2).map { _ in SDKToFoundationCredentialsAdapter(provider: CachingProvider()) }
        for resolver in [adapters[0], SDKToFoundationCredentialsAdapter(resolver: adapters[1])] {
            let configuration = try KinesisClient.KinesisClientConfiguration(
                awsCredentialIdentityResolver: resolver,
                region: "us-east-1",
                endpoint: server.url
            )
            _ = try await KinesisClient(config: configuration).listStreams(input: ListStreamsInput())
        }
        #expect(server.requests.count == 4)
    }

    private static func refusal(of request: ReceivedRequest) -> Reply? {
        guard request.header("Authorization")?.contains("refused/") == true else { return nil }
        return .error(400, "UnrecognizedClientException", message: "as the test demands")
    }
}

/// A provider that keeps its keys until it is told that they are not valid any more, as that of Cognito does.
private final class CachingProvider: NSObject, AWSCore.AWSCredentialsProvider, Sendable {
    private let accessKey = Locked("refused")

    func credentials() -> AWSTask<AWSCore.AWSCredentials> {
        AWSTask(
            result: AWSCredentials(
                accessKey: accessKey.withLock { $0 },
                secretKey: Canary.secret,
                sessionKey: nil,
                expiration: nil
            )
        )
    }

    func invalidateCachedTemporaryCredentials() { accessKey.withLock { $0 = "renewed" } }
}
