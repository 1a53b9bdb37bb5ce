import AWSCore
import AWSKinesisClient
import AWSServiceClients
import AmplifyFoundation
import AmplifyFoundationBridge
import Foundation
import SmithyHTTPAPI
import Testing

@Suite struct AdapterTests {
    @Test func `keys, token and expiration pass from Foundation to AWSCore`() async throws {
        let end = Date(timeIntervalSince1970: 2_000_000_000)
        let adapter = FoundationToSDKCredentialsAdapter(provider: Given(keys: Token(expiration: end)))
        let keys = try #require(try await adapter.credentials().value)
        #expect(keys.accessKey == "id" && keys.secretKey == "secret")
        #expect(keys.sessionKey == "token" && keys.expiration == end)
    }

    @Test func `a provider's error is the task's error`() async throws {
        let task = FoundationToSDKCredentialsAdapter(provider: Failing()).credentials()
        await #expect(throws: Failing.Failure.self) { _ = try await task.value }
    }

    @Test func `keys, token and expiration pass from AWSCore to Foundation`() async throws {
        let session = AWSBasicSessionCredentialsProvider(accessKey: "id", secretKey: "secret", sessionToken: "token")
        let provider = try #require(session as (any AWSCore.AWSCredentialsProvider)?)
        let keys = try await SDKToFoundationCredentialsAdapter(provider: provider).resolve()
        #expect(keys.accessKeyId == "id" && keys.secretAccessKey == "secret")
        #expect((keys as? any AWSTemporaryCredentials)?.sessionToken == "token")
    }

    @Test func `no dump of an adapter or of its keys shows them`() async throws {
        let foundation = FoundationToSDKCredentialsAdapter(provider: Given(keys: Token(expiration: .distantFuture)))
        var text = ""
        dump(foundation, to: &text)
        for token in ["the-token", nil] {
            let identity = AWSCredentialIdentity(accessKey: "the-id", secret: "the-secret", sessionToken: token)
            let sdk = SDKToFoundationCredentialsAdapter(resolver: StaticAWSCredentialIdentityResolver(identity))
            let keys = try await sdk.resolve()
            text += "\(keys) \(String(reflecting: keys))"
            dump(keys, to: &text)
            dump(sdk, to: &text)
        }
        for secret in ["the-id", "the-secret", "\"secret\"", "token\""] { #expect(!text.contains(secret), "\(text)") }
    }

    @Test func `an adapted provider of Foundation is a resolver of the service clients`() async throws {
        let end = Date(timeIntervalSince1970: 2_000_000_000)
        let adapter = FoundationToSDKCredentialsAdapter(provider: Given(keys: Token(expiration: end)))
        let resolver: any AWSCredentialIdentityResolver = adapter
        let identity = try await resolver.getIdentity()
        #expect(identity == Self.identity(expiration: end))
        #expect((try await adapter.resolve() as? any AWSTemporaryCredentials)?.sessionToken == "token")
        let configuration = try KinesisClient.KinesisClientConfiguration(
            awsCredentialIdentityResolver: adapter,
            region: "us-east-1"
        )
        #expect(try await configuration.awsCredentialIdentityResolver.getIdentity() == identity)
    }

    @Test func `an adapted provider of AWSCore is a resolver of the service clients`() async throws {
        let session = AWSBasicSessionCredentialsProvider(accessKey: "id", secretKey: "secret", sessionToken: "token")
        let provider = try #require(session as (any AWSCore.AWSCredentialsProvider)?)
        let resolver: any AWSCredentialIdentityResolver = SDKToFoundationCredentialsAdapter(provider: provider)
        #expect(try await resolver.getIdentity() == Self.identity(expiration: nil))
    }

    @Test func `adapters pass on the errors of what they adapt`() async throws {
        let toSDK = FoundationToSDKCredentialsAdapter(provider: Failing())
        await #expect(throws: Failing.Failure.self) { _ = try await toSDK.getIdentity() }
        await #expect(throws: Failing.Failure.self) { _ = try await toSDK.resolve() }
        let toFoundation = SDKToFoundationCredentialsAdapter(resolver: toSDK)
        await #expect(throws: Failing.Failure.self) { _ = try await toFoundation.getIdentity() }
        await #expect(throws: Failing.Failure.self) { _ = try await toFoundation.resolve() }
    }

    @Test func `a type of both kinds needs only one of the methods`() async throws {
        let identity = try await OnlyResolves().getIdentity()
        #expect(identity == Self.identity(expiration: .distantFuture))
        let keys = try await OnlyIdentifies(identity: identity).resolve()
        #expect(keys.accessKeyId == "id" && keys.secretAccessKey == "secret")
        #expect((keys as? any AWSTemporaryCredentials)?.expiration == .distantFuture)
    }

    @Test(arguments: [nil, Date(timeIntervalSince1970: 2_000_000_000)])
    func `converted keys keep a token without an expiration`(expiration: Date?) throws {
        let keys = try Self.identity(expiration: expiration).toAWSCredentials()
        let temporary = try #require(keys as? any AWSTemporaryCredentials)
        #expect(temporary.sessionToken == "token" && temporary.expiration == expiration ?? .distantFuture)
        #expect(try keys.toAWSCredentialIdentity() == Self.identity(expiration: expiration ?? .distantFuture))
    }

    @Test func `an error of the bridge says what and how to fix it, and is not wrapped again`() {
        let cause = FoundationBridgeError.unknown("No keys.", Failing.Failure())
        #expect(cause.underlyingError is Failing.Failure)
        #expect(cause.localizedDescription == "No keys. \(cause.recoverySuggestion)")
        let same = FoundationBridgeError(errorDescription: "other", recoverySuggestion: "other", error: cause)
        #expect(same.errorDescription == "No keys.")
        #expect(FoundationBridgeError(error: nil).underlyingError == nil)
    }

    private static func identity(expiration: Date?) -> AWSCredentialIdentity {
        AWSCredentialIdentity(accessKey: "id", secret: "secret", expiration: expiration, sessionToken: "token")
    }

    @Test func `an engine adds Amplify's name to each request's User-Agent`() async throws {
        let engine = UserAgentClientEngine(target: Echo(), additionalMetadata: ["md/mine", "md/yours"])
        let uri = try #require(URI("https://example.com"))
        let request = HTTPRequest(method: .post, uri: uri, headers: Headers(["User-Agent": "sdk/1"]))
        let echoed = try await engine.send(request: request).headers.value(for: "User-Agent")
        let version = AmplifyMetadata.version
        #expect(echoed == "sdk/1 lib/amplify-swift#\(version) md/mine#\(version) md/yours#\(version)")
    }

    @Test func `keys without a token are not temporary`() async throws {
        let resolver = StaticAWSCredentialIdentityResolver(AWSCredentialIdentity(accessKey: "id", secret: "secret"))
        let keys = try await SDKToFoundationCredentialsAdapter(resolver: resolver).resolve()
        #expect(keys.accessKeyId == "id" && !(keys is any AWSTemporaryCredentials))
    }

    @Test func `a provider without keys causes an error that says so`() async throws {
        let adapter = SDKToFoundationCredentialsAdapter(provider: AWSAnonymousCredentialsProvider())
        let error = await #expect(throws: FoundationBridgeError.self) { _ = try await adapter.resolve() }
        #expect(error?.localizedDescription.contains("no keys") == true)
    }

    @Test func `no dump of adapted keys shows them`() async throws {
        let resolver = StaticAWSCredentialIdentityResolver(
            AWSCredentialIdentity(accessKey: "the-id", secret: "the-secret", sessionToken: "the-token")
        )
        let keys = try await SDKToFoundationCredentialsAdapter(resolver: resolver).resolve()
        var text = "\(keys)"
        dump(keys, to: &text)
        #expect(!text.contains("the-"))
    }
}

private struct Given: AmplifyFoundation.AWSCredentialsProvider {
    let keys: Token

    func resolve() async throws -> any AmplifyFoundation.AWSCredentials { keys }
}

private struct Token: AWSTemporaryCredentials {
    let accessKeyId = "id"
    let secretAccessKey = "secret"
    let sessionToken = "token"
    let expiration: Date
}

/// Leaves `getIdentity()` to the bridge.
private struct OnlyResolves: AmplifyFoundation.AWSCredentialsProvider, AWSCredentialIdentityResolver {
    func resolve() async throws -> any AmplifyFoundation.AWSCredentials { Token(expiration: .distantFuture) }
}

/// Leaves `resolve()` to the bridge.
private struct OnlyIdentifies: AmplifyFoundation.AWSCredentialsProvider, AWSCredentialIdentityResolver {
    let identity: AWSCredentialIdentity

    func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity { identity }
}

private struct Failing: AmplifyFoundation.AWSCredentialsProvider {
    struct Failure: Error {}

    func resolve() async throws -> any AmplifyFoundation.AWSCredentials { throw Failure() }
}

/// Responds with the request's headers.
private struct Echo: HTTPClient {
    func send(request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(headers: request.headers, statusCode: .ok)
    }
}
