import AWSCore
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Classes that applications derive from the Cognito provider and its helper, and the members of SDK 2.2 and 2.3.
@Suite(.timeLimit(.minutes(10))) struct CognitoSubclassTests {
    private func source(_ provider: any AWSCredentialsProvider) throws -> any CredentialsSource {
        let configuration = try #require(AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider))
        return try configuration.callConfiguration(for: .kinesis, environment: [:]).credentials
    }

    @Test func `a subclass that overrides its keys signs with them, and no pool is asked`() async throws {
        let pool = try CognitoPoolServer()
        let provider = TestDouble(pool)
        let source = try source(provider)
        #expect(try await source.credentials()?.accessKeyID == "double")
        source.invalidate()
        _ = try await source.credentials()
        #expect(provider.calls.withLock { $0 } == ["credentials", "invalidate", "credentials"])
        #expect(pool.calls == [])
    }

    @Test func `a subclass without overrides signs with the pool's keys`() async throws {
        final class Plain: AWSCognitoCredentialsProvider, @unchecked Sendable {
            init(_ pool: CognitoPoolServer) {
                let id = CognitoPoolServer.poolID
                super.init(regionType: .USEast1, identityPoolId: id, environment: pool.environment())
            }
        }
        let pool = try CognitoPoolServer()
        let provider = Plain(pool)
        let source = try source(provider)
        #expect(try await source.credentials()?.accessKeyID == "A")
        source.invalidate()
        _ = try await source.credentials()
        #expect(pool.calls == ["GetId", "GetCredentialsForIdentity", "GetCredentialsForIdentity"])
    }

    @Test func `clearing the keychain clears the keys, which invalidates them, as in the SDK`() {
        let provider = TestDouble()
        provider.clearKeychain()
        #expect(provider.calls.withLock { $0 } == ["clear", "invalidate"])
    }

    @Test func `a provider without a pool faults, and says how to name one`() async throws {
        let provider = AWSCognitoCredentialsProvider()
        #expect(provider.identityId == nil && provider.identityPoolId == "")
        let error = try #require(await provider.credentials().failure())
        #expect(error.domain == AWSCognitoCredentialsProviderErrorDomain)
        #expect(error.code == AWSCognitoCredentialsProviderErrorType.invalidConfiguration.rawValue)
        #expect(error.localizedDescription.contains("identityPoolId"))
        let helper = try #require(await AWSCognitoCredentialsProviderHelper().getIdentityId().failure())
        #expect(helper.localizedDescription.contains("identityPoolId"))
    }

    @Test func `a helper without a pool provides what its class overrides`() async throws {
        final class Backend: AWSCognitoCredentialsProviderHelper, @unchecked Sendable {
            override var identityPoolId: String { CognitoPoolServer.poolID }
            override func token() -> AWSTask<NSString> {
                identityId = "us-east-1:backend-1"
                return AWSTask(result: "token")
            }
        }
        let pool = try CognitoPoolServer()
        let provider = AWSCognitoCredentialsProvider(
            regionType: .USEast1,
            identityProvider: Backend(),
            environment: pool.environment()
        )
        #expect(try await provider.credentials().value?.accessKey == "A")
        #expect(pool.server.requests.first?.text.contains(#""cognito-identity.amazonaws.com":"token""#) == true)
    }

    @Test func `the members of SDK 2-2 show the last keys, and a refresh fetches new ones`() async throws {
        try await (OldMembers.self as any OlderSDK.Type).check()
    }
}

private final class TestDouble: AWSCognitoCredentialsProvider, @unchecked Sendable {
    let calls = Locked<[String]>([])

    override init() { super.init() }

    init(_ pool: CognitoPoolServer) {
        super.init(regionType: .USEast1, identityPoolId: CognitoPoolServer.poolID, environment: pool.environment())
    }

    override func credentials() -> AWSTask<AWSCredentials> {
        calls.withLock { $0.append("credentials") }
        let keys = AWSCredentials(accessKey: "double", secretKey: Canary.secret, sessionKey: nil, expiration: nil)
        return AWSTask(result: keys)
    }

    override func clearCredentials() {
        calls.withLock { $0.append("clear") }
        super.clearCredentials()
    }

    override func invalidateCachedTemporaryCredentials() { calls.withLock { $0.append("invalidate") } }
}

/// Avoids warnings about deprecated names.
private protocol OlderSDK {
    static func check() async throws
}

private enum OldMembers: OlderSDK {
    @available(*, deprecated)
    static func check() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider()
        #expect(provider.accessKey == nil && provider.secretKey == nil)
        #expect(provider.sessionKey == nil && provider.expiration == nil)
        #expect(try await provider.refresh().value == nil)
        #expect(provider.accessKey == "A" && provider.secretKey == Canary.secret && provider.sessionKey == Canary.token)
        #expect(provider.expiration == Date(timeIntervalSince1970: 4_102_444_800))
        _ = try await provider.refresh().value
        #expect(pool.calls == ["GetId", "GetCredentialsForIdentity", "GetCredentialsForIdentity"])
        provider.clearCredentials()
        #expect(provider.accessKey == nil && provider.expiration == nil)
    }
}
