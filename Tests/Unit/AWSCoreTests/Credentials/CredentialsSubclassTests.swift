import AWSCore
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Classes that applications derive from the credentials and their providers.
struct CredentialsSubclassTests {
    /// The source that signs the calls of a provider's configuration.
    private func source(_ provider: any AWSCredentialsProvider) throws -> any CredentialsSource {
        let configuration = try #require(AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider))
        return try configuration.callConfiguration(for: .kinesis, environment: [:]).credentials
    }

    @Test func `a subclass of the static provider that overrides its keys signs with them`() async throws {
        let provider = RotatingProvider(accessKey: "base", secretKey: Canary.secret)
        let source = try source(provider)
        #expect(try await source.credentials()?.accessKeyID == "rotated-1")
        source.invalidate()
        #expect(try await source.credentials()?.accessKeyID == "rotated-2")
    }

    @Test func `a subclass without overrides signs with its own keys`() async throws {
        final class Plain: AWSStaticCredentialsProvider, @unchecked Sendable {}
        let provider = Plain(accessKey: "base", secretKey: Canary.secret)
        #expect(try await source(provider).credentials()?.accessKeyID == "base")
    }

    @Test func `credentials that override their members sign with what these return`() async throws {
        let keys = await credentials(ScopedCredentials())
        #expect(keys == Credentials(accessKeyID: "scoped", secretAccessKey: Canary.secret, sessionToken: "t"))
    }

    private func credentials(_ given: AWSCredentials) async -> Credentials? {
        try? await source(FixedProvider(given)).credentials()
    }

    @Test func `a static provider without keys faults, and says how to give it some`() async throws {
        let provider = AWSStaticCredentialsProvider()
        let error = try #require(await provider.credentials().failure())
        #expect(error.localizedDescription.contains("init(accessKey:secretKey:)"))
        let failure = await #expect(throws: CredentialsFailure.self) { try await source(provider).credentials() }
        #expect(failure?.message.contains("init(accessKey:secretKey:)") == true)
    }

    @Test func `credentials without keys are refused before a request is signed`() async throws {
        let failure = await #expect(throws: CredentialsFailure.self) {
            try await source(FixedProvider(AWSCredentials())).credentials()
        }
        #expect(failure?.message.contains("empty") == true)
    }

    @Test func `no description or dump of a subclass shows a key`() {
        var text = "\(ScopedCredentials()) \(RotatingProvider(accessKey: "planted-id", secretKey: Canary.secret))"
        dump(ScopedCredentials(), to: &text)
        #expect(!text.contains("scoped") && !text.contains("planted-id") && !text.contains(Canary.secret))
    }
}

private final class RotatingProvider: AWSStaticCredentialsProvider, @unchecked Sendable {
    private let rotation = Locked(1)

    override func credentials() -> AWSTask<AWSCredentials> {
        let number = rotation.withLock { $0 }
        let keys = AWSCredentials(
            accessKey: "rotated-\(number)",
            secretKey: Canary.secret,
            sessionKey: nil,
            expiration: nil
        )
        return AWSTask(result: keys)
    }

    override func invalidateCachedTemporaryCredentials() { rotation.withLock { $0 += 1 } }
}

private final class ScopedCredentials: AWSCredentials, @unchecked Sendable {
    override var accessKey: String { "scoped" }
    override var secretKey: String { Canary.secret }
    override var sessionKey: String? { "t" }
}

private final class FixedProvider: NSObject, AWSCredentialsProvider {
    private let given: AWSCredentials

    init(_ given: AWSCredentials) { self.given = given }

    func credentials() -> AWSTask<AWSCredentials> { AWSTask(result: given) }

    func invalidateCachedTemporaryCredentials() {}
}
