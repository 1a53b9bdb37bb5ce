import AWSCognito
import AWSKinesis
import Foundation
import OldCallersSwift5
import OldCallersSwift6
import RecorderTestSupport
import Testing

/// Chains whose type a cast gives: on iOS, where generics are erased, each of these casts succeeds.
@Suite(.timeLimit(.minutes(5))) struct CastTests {
    private static let openID = "login.example.com"
    private static let backend = AWSIdentityProviderAmazonCognitoIdentity

    @Test func `the Cognito guide's OpenID Connect form signs a user in`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let manager = OIDCProvider(providerName: "login.example.com") { source in
                DispatchQueue.global().async { source.set(result: user.token as NSString) }
            }
            let error = try await user.submit(user.provider(manager))
            #expect(error == nil)
        }
        try await signIn.expectRecord(of: [Self.openID: signIn.place.token])
    }

    @Test func `an error of the OpenID Connect form reaches the submit, and the records stay`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let manager = OIDCProvider(providerName: "login.example.com") { source in
                source.set(error: NSError(domain: "OIDC Login", code: -1))
            }
            let error = try await user.submit(user.provider(manager))
            #expect(error?.domain == "OIDC Login")
        }
    }

    @Test func `the developer-authenticated form with a cast signs a user in`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let helper = CastingHelper(
                regionType: .USEast1,
                identityPoolId: user.poolId,
                useEnhancedFlow: true,
                identityProviderManager: nil
            )
            helper.response = (user.developer.identityId, user.developer.token)
            let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityProvider: helper)
            let error = try await user.submit(provider)
            #expect(error == nil)
        }
        let developer = signIn.place.developer
        try await signIn.expectRecord(of: [Self.backend: developer.token], by: ["GetCredentialsForIdentity"])
    }

    @Test func `the form of Mobile Hub's helper gives a guest's logins, then those of a user`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let manager = IdentityManager.sharedInstance
            #expect(try await manager.logins().value == nil)
            let signInProvider = WebSignInProvider(name: "login.example.com")
            signInProvider.currentToken = user.token
            manager.currentSignInProvider = signInProvider
            let error = try await user.submit(user.provider(manager))
            #expect(error == nil)
        }
        try await signIn.expectRecord(of: [Self.openID: signIn.place.token])
    }

    @Test func `a chain cast with as? keeps its logins instead of becoming a guest's`() async throws {
        let logins = try await RefreshingProvider(name: "login.example.com").logins().value
        #expect(logins as? [String: String] == ["login.example.com": "refreshed"])
    }

    @Test func `a provider around another one gives its keys, its error, or its cancellation`() async throws {
        let keys = try await WrappingProvider(CountingProvider()).credentials().value
        #expect(keys?.accessKey == "AKIA0")
        let error = await WrappingProvider(FailingProvider()).credentials().fault()
        #expect(error?.domain == "SignIn")
        let source = AWSCancellationTokenSource()
        source.cancel()
        let cancelled = WrappingProvider(CountingProvider(), cancellationToken: source.token).credentials()
        #expect(cancelled.isCancelled)
    }

    @Test func `the OpenID Connect form signs a user in from Swift 6 mode`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let manager = ModernOIDCProvider(name: "login.example.com", token: user.token)
            let error = try await user.submit(user.provider(manager))
            #expect(error == nil)
        }
        try await signIn.expectRecord(of: [Self.openID: signIn.place.token])
    }
}
