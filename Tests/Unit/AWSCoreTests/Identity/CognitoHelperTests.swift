import AWSCore
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CognitoHelperTests {
    @Test func `an identity that a backend authenticates has the backend's token`() async throws {
        let pool = try CognitoPoolServer()
        let backend = pool.backend()
        let provider = pool.provider(asking: backend)
        #expect(try await provider.credentials().value?.accessKey == "A")
        #expect(provider.identityId == "us-east-1:backend-1")
        #expect(pool.calls == ["GetCredentialsForIdentity"])
        #expect(pool.server.requests[0].text.contains(#""cognito-identity.amazonaws.com":"from the backend""#))
        _ = try await provider.credentials().value
        #expect(backend.questions == 1)
    }

    @Test func `a backend that fails shows users its own error`() async throws {
        let pool = try CognitoPoolServer()
        let backend = pool.backend()
        let own = NSError(domain: "backend", code: 3)
        backend.failure.withLock { $0 = own }
        let provider = pool.provider(asking: backend)
        #expect(await provider.credentials().failure() === own)
        backend.failure.withLock { $0 = nil }
        #expect(try await provider.credentials().value != nil)
    }

    @Test func `a helper without an identity is an error with a message`() async throws {
        let pool = try CognitoPoolServer()
        let helper = AWSAbstractCognitoCredentialsProviderHelper()
        let provider = pool.provider(asking: helper)
        let error = await provider.credentials().failure()
        #expect(error?.domain == AWSCognitoCredentialsProviderErrorDomain)
        #expect(error?.code == AWSCognitoCredentialsProviderErrorType.identityIdIsNil.rawValue)
    }

    @Test func `each new ID is posted with the previous one, in order; a cleared one is not`() async throws {
        let helper = AWSAbstractCognitoCredentialsProviderHelper()
        let seen = Locked<[[String: String]]>([])
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .AWSCognitoIdentityIdChanged,
            object: helper,
            queue: nil
        ) { note in
            let userInfo = note.userInfo as? [String: String] ?? [:]
            seen.withLock { $0.append(userInfo) }
            if userInfo[AWSCognitoNotificationNewId] == "three" { continuation.finish() }
        }
        for id in ["one", "one", "two", nil, "three"] { helper.identityId = id }
        for await _ in stream {}
        NotificationCenter.default.removeObserver(observer)
        #expect(
            seen.withLock { $0 } == [
                ["NEWID": "one"], ["PREVID": "one", "NEWID": "two"], ["NEWID": "three"],
            ]
        )
    }

    @Test func `the manager can be set once in a process`() async {
        await #expect(processExitsWith: .success) {
            let pool = try CognitoPoolServer()
            let first = pool.provider()
            first.setIdentityProviderManagerOnce(Logins(["accounts.google.com": "one"]))
            first.setIdentityProviderManagerOnce(Logins(["accounts.google.com": "two"]))
            let second = pool.provider()
            second.setIdentityProviderManagerOnce(Logins(["accounts.google.com": "three"]))
            _ = try await first.credentials().value
            #expect(pool.server.requests.allSatisfy { $0.text.contains(#":"one""#) })
            #expect(second.identityProvider.identityProviderManager == nil)
        }
    }

    @Test func `a pool's own configuration sets the endpoint, and the program sets the directory`() async {
        await #expect(processExitsWith: .success) {
            let pool = try CognitoPoolServer()
            let directory = try TemporaryDirectory()
            AWSCognitoCredentialsProvider.storeDirectory = URL(fileURLWithPath: directory.path)
            let place = try #require(
                AWSServiceConfiguration(
                    region: .EUWest1,
                    endpoint: AWSEndpoint(urlString: pool.server.url),
                    credentialsProvider: nil
                )
            )
            let provider = AWSCognitoCredentialsProvider(
                regionType: .EUWest1,
                identityPoolId: "my-pool",
                identityPoolConfiguration: place
            )
            #expect(try await provider.getIdentityId().value == "us-east-1:id-1")
            #expect(FileManager.default.fileExists(atPath: directory.path("cognito-my-pool.json")))
        }
    }

    @Test func `logins from a dictionary literal are strings by strings`() async throws {
        let pool = try CognitoPoolServer()
        _ = try await pool.provider(manager: LiteralLogins()).credentials().value
        #expect(pool.server.requests[1].text.contains(#""Logins":{"graph.facebook.com":"literal"}"#))
    }

    @Test func `logins may be named by the numbers of older SDKs`() async throws {
        let pool = try CognitoPoolServer()
        _ = try await pool.provider(manager: NumberedLogins([1: "one", 4: "four"])).credentials().value
        #expect(pool.server.requests[1].text.contains(#""graph.facebook.com":"one""#))
        #expect(pool.server.requests[1].text.contains(#""api.twitter.com":"four""#))
        let unknown = pool.provider(manager: NumberedLogins([0: "none"]))
        await #expect(throws: (any Error).self) { try await unknown.credentials().value }
    }

    @Test func `no description or dump of a provider shows a login or a key`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider(manager: Logins(["accounts.google.com": "planted-jwt"]))
        _ = try await provider.credentials().value
        var text = "\(provider) \(String(reflecting: provider)) \(provider.identityProvider)"
        dump(provider, to: &text)
        dump(provider.identityProvider, to: &text)
        dump(provider.credentials(), to: &text)
        #expect(!text.contains("planted-jwt"))
        #expect(!text.contains("\"S\""))
    }
}

/// A user's class for developer authenticated identities.
private final class BackendIdentity: AWSCognitoCredentialsProviderHelper, @unchecked Sendable {
    let failure = Locked<NSError?>(nil)
    private let asked = Locked(0)

    var questions: Int { asked.withLock { $0 } }

    override func token() -> AWSTask<NSString> {
        asked.withLock { $0 += 1 }
        if let failure = failure.withLock({ $0 }) { return AWSTask(error: failure) }
        identityId = "us-east-1:backend-1"
        return AWSTask(result: "from the backend")
    }
}

private final class LiteralLogins: NSObject, AWSIdentityProviderManager {
    func logins() -> AWSTask<NSDictionary> {
        let token = NSString(string: "literal")
        return AWSTask(result: [AWSIdentityProviderFacebook: token])
    }
}

extension CognitoPoolServer {
    fileprivate func backend() -> BackendIdentity {
        BackendIdentity(
            regionType: .USEast1,
            identityPoolId: Self.poolID,
            useEnhancedFlow: true,
            identityProviderManager: nil
        )
    }

    fileprivate func provider(
        asking helper: any AWSCognitoCredentialsProviderHelperProtocol
    ) -> AWSCognitoCredentialsProvider {
        AWSCognitoCredentialsProvider(regionType: .USEast1, identityProvider: helper, environment: environment())
    }
}

private final class NumberedLogins: NSObject, AWSIdentityProviderManager {
    private let tokens: [Int: String]

    init(_ tokens: [Int: String]) { self.tokens = tokens }

    func logins() -> AWSTask<NSDictionary> { AWSTask(result: NSDictionary(dictionary: tokens)) }
}
