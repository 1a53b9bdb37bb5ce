import AWSCognito
import AWSKinesis
import Foundation
import OldCallersSwift5
import OldCallersSwift6
import RecorderTestSupport
import Testing

/// Identity providers in each form, against a service that checks signatures, permissions and logins.
@Suite(.timeLimit(.minutes(5))) struct IdentityTests {
    private static let facebook = AWSIdentityProviderFacebook
    private static let backend = AWSIdentityProviderAmazonCognitoIdentity
    private static let openID = "login.example.com"

    @Test func `a guest is refused where only users may write`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let guest = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: user.poolId)
            let error = try #require(try await user.submit(guest))
            #expect(reaction(to: error) == .notAllowed, "\(error)")
        }
        #expect(try await !signIn.server.records(of: "members").contains(signIn.place.text))
    }

    @Test func `a dictionary of logins signs a user in`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let error = try await user.submit(user.provider(FacebookProvider(token: user.token)))
            #expect(error == nil)
        }
        try await signIn.expectRecord(of: [Self.facebook: signIn.place.token])
    }

    @Test func `a login by the enumeration of early SDKs signs a user in`() async throws {
        #expect(facebookKey == 1)
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let error = try await user.submit(user.provider(EnumeratedProvider(token: user.token)))
            #expect(error == nil)
        }
        try await signIn.expectRecord(of: [Self.facebook: signIn.place.token])
    }

    @Test func `a user who is not logged in gets the provider's error, and the records stay`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let error = try #require(try await user.submit(user.provider(FacebookProvider(token: nil))))
            #expect(error.domain == "Facebook Login", "\(error)")
        }
    }

    @Test func `a backend's identity and token sign a user in`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let helper = DeveloperAuthenticatedProvider(
                regionType: .USEast1,
                identityPoolId: user.poolId,
                useEnhancedFlow: true,
                identityProviderManager: nil
            )
            let response = user.developer
            helper.backend = { done in done(response.identityId, response.token) }
            let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityProvider: helper)
            let error = try await user.submit(provider)
            #expect(error == nil)
            #expect(provider.identityId == response.identityId && helper.tokens > 0)
        }
        let developer = signIn.place.developer
        try await signIn.expectRecord(of: [Self.backend: developer.token], by: ["GetCredentialsForIdentity"])
    }

    @Test func `a helper that overrides identity and logins signs a user in`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let helper = MixedProvider(
                regionType: .USEast1,
                identityPoolId: user.poolId,
                useEnhancedFlow: true,
                identityProviderManager: nil
            )
            helper.developerIdentity = user.developer.identityId
            helper.developerToken = user.developer.token
            let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityProvider: helper)
            let error = try await user.submit(provider)
            #expect(error == nil)
        }
        let developer = signIn.place.developer
        try await signIn.expectRecord(of: [Self.backend: developer.token], by: ["GetCredentialsForIdentity"])
    }

    @Test func `a session's completion handler signs a user in, or its error keeps the records`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let broken = UserPoolProvider(provider: "login.example.com") {
                $0(nil, NSError(domain: "Session", code: 3))
            }
            let error = try await user.submit(user.provider(broken))
            #expect(error?.domain == "Session")
            let working = UserPoolProvider(provider: "login.example.com") { $0(user.token, nil) }
            AWSKinesisRecorder.register(
                with: AWSServiceConfiguration(region: .USEast1, credentialsProvider: user.provider(working)),
                forKey: "members"
            )
            try await AWSKinesisRecorder(forKey: "members").submit()
        }
        try await signIn.expectRecord(of: [Self.openID: signIn.place.token])
    }

    @Test func `a manager that is set after the guest's first use turns the guest into a user`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: user.poolId)
            let observer = IdentityObserver(provider)
            let guestKeys = try #require(await provider.credentials().value)
            let manager = FacebookProvider(token: user.token)
            let userKeys = try #require(await OldCallersSwift5.signIn(provider, manager).value)
            #expect(userKeys.accessKey != guestKeys.accessKey)
            let error = try await user.submit(provider)
            #expect(error == nil)
            let identity = try #require(provider.identityId)
            #expect(observer.changes.allSatisfy { $0.0 == nil || $0.1 == identity })
        }
        try await signIn.expectRecord(of: [Self.facebook: signIn.place.token], by: ["GetCredentialsForIdentity"])
    }

    @Test func `logins from async code sign a user in`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let manager = AsyncTokens(provider: "login.example.com") { user.token }
            let error = try await user.submit(user.provider(manager))
            #expect(error == nil)
        }
        try await signIn.expectRecord(of: [Self.openID: signIn.place.token])
    }
}
