import AWSCore
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct AWSCognitoCredentialsProviderTests {
    private let poolID = CognitoPoolServer.poolID

    // MARK: the enhanced flow

    @Test func `a guest gets an identity once and keys for it`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider()
        #expect(provider.identityPoolId == poolID)
        #expect(provider.identityId == nil)
        let id = try await provider.getIdentityId().value
        let again = try await provider.getIdentityId().value
        let credentials = try await provider.credentials().value
        #expect(id == "us-east-1:id-1")
        #expect(again == id)
        #expect(provider.identityId == "us-east-1:id-1")
        #expect(credentials?.accessKey == "A")
        #expect(credentials?.secretKey == Canary.secret)
        #expect(credentials?.sessionKey == Canary.token)
        #expect(credentials?.expiration == Date(timeIntervalSince1970: 4_102_444_800))
        #expect(pool.calls == ["GetId", "GetCredentialsForIdentity"])
    }

    @Test func `fetching keys sets the identity`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider()
        _ = try await provider.credentials().value
        #expect(provider.identityId == "us-east-1:id-1")
        #expect(pool.calls.count == 2)
    }

    @Test func `cached keys are reused until they are invalidated`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider()
        _ = try await provider.credentials().value
        _ = try await provider.credentials().value
        #expect(pool.calls.count == 2)
        provider.invalidateCachedTemporaryCredentials()
        _ = try await provider.credentials().value
        provider.clearCredentials()
        _ = try await provider.credentials().value
        #expect(pool.calls.dropFirst(2) == ["GetCredentialsForIdentity", "GetCredentialsForIdentity"])
        #expect(provider.identityId == "us-east-1:id-1")
    }

    @Test func `a hundred concurrent callers share one refresh`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider()
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 { group.addTask { try await provider.credentials().value?.accessKey } }
            for try await key in group { #expect(key == "A") }
        }
        #expect(pool.calls == ["GetId", "GetCredentialsForIdentity"])
    }

    @Test(arguments: [(601, 2), (599, 3)])
    func `keys are renewed when less than ten minutes are left`(secondsLeft: Double, calls: Int) async throws {
        let pool = try CognitoPoolServer(expiration: 10_000)
        let clock = Clock(0)
        let provider = pool.provider(now: clock.now)
        _ = try await provider.credentials().value
        clock.seconds = 10_000 - secondsLeft
        _ = try await provider.credentials().value
        #expect(pool.calls.count == calls)
    }

    @Test func `clearing the keychain creates a new guest`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider()
        _ = try await provider.credentials().value
        provider.clearKeychain()
        #expect(provider.identityId == nil)
        #expect(try await provider.getIdentityId().value == "us-east-1:id-2")
        #expect(pool.calls == ["GetId", "GetCredentialsForIdentity", "GetId"])
    }

    @Test(arguments: ["GetId", "GetCredentialsForIdentity"])
    func `clearing the keychain while keys are fetched is not undone by them`(operation: String) async throws {
        let (asked, answers) = (Gate(), Gate())
        let pool = try CognitoPoolServer { request in
            if request.operation == operation {
                asked.open()
                answers.wait()
            }
            return nil
        }
        defer { answers.open() }
        let provider = pool.provider()
        let task = provider.credentials()
        try await onNewThread(named: "test-gate") { asked.wait() }
        provider.clearKeychain()
        answers.open()
        _ = try await task.value
        #expect(provider.identityId == nil)
        #expect(try await provider.getIdentityId().value != "us-east-1:id-1")
        #expect(provider.identityId != "us-east-1:id-1")
    }

    @Test func `a late refusal of a cleared identity does not discard the new one`() async throws {
        let (asked, answers) = (Gate(), Gate())
        let isFirst = Switch(true)
        let pool = try CognitoPoolServer { request in
            guard request.operation == "GetCredentialsForIdentity", isFirst.isOn else { return nil }
            isFirst.isOn = false
            asked.open()
            answers.wait()
            return "ResourceNotFoundException"
        }
        defer { answers.open() }
        let provider = pool.provider()
        let task = provider.credentials()
        try await onNewThread(named: "test-gate") { asked.wait() }
        provider.clearKeychain()
        #expect(try await provider.credentials().value != nil)
        #expect(provider.identityId == "us-east-1:id-2")
        answers.open()
        _ = try? await task.value
        #expect(try await provider.getIdentityId().value == "us-east-1:id-2")
        #expect(!pool.calls.dropFirst(3).contains("GetId"))
    }

    @Test func `a Swift error of a manager keeps its type`() async throws {
        let provider = try CognitoPoolServer().provider(manager: SignedOutManager())
        await #expect(throws: SignedOutManager.SignedOut.self) { _ = try await provider.credentials().value }
    }

    @Test func `after an outage the next call tries again`() async throws {
        let isDown = Switch(true)
        let pool = try CognitoPoolServer { _ in isDown.isOn ? "InvalidParameterException" : nil }
        let provider = pool.provider()
        let error = await provider.credentials().failure()
        #expect(error?.code == AWSCognitoIdentityErrorType.invalidParameter.rawValue)
        isDown.isOn = false
        #expect(try await provider.credentials().value != nil)
    }

    // MARK: logins

    @Test func `new logins fetch new keys for the same identity`() async throws {
        let pool = try CognitoPoolServer()
        let manager = Logins()
        let provider = pool.provider(manager: manager)
        _ = try await provider.credentials().value
        #expect(provider.identityProvider.isAuthenticated() == false)
        manager.given.withLock { $0 = ["graph.facebook.com": "facebook-token"] }
        _ = try await provider.credentials().value
        #expect(pool.calls.last == "GetCredentialsForIdentity")
        #expect(pool.server.requests.last?.text.contains("facebook-token") == true)
        #expect(provider.identityId == "us-east-1:id-1")
        #expect(provider.identityProvider.isAuthenticated())
        _ = try await provider.credentials().value
        #expect(pool.calls.count == 3)
    }

    @Test func `a manager's role is sent to Cognito, and a different one fetches new keys`() async throws {
        let pool = try CognitoPoolServer()
        let manager = Logins(["accounts.google.com": "jwt"])
        manager.role.withLock { $0 = "arn:aws:iam::1:role/one" }
        let provider = pool.provider(manager: manager)
        _ = try await provider.credentials().value
        manager.role.withLock { $0 = "arn:aws:iam::1:role/two" }
        _ = try await provider.credentials().value
        let bodies = pool.server.requests.map(\.text)
        #expect(bodies.count == 3)
        #expect(bodies[1].contains(#"role\/one"#))
        #expect(bodies[2].contains(#"role\/two"#))
    }

    @Test func `a manager that fails sometimes does not interrupt valid keys`() async throws {
        let pool = try CognitoPoolServer()
        let manager = Logins(["accounts.google.com": "jwt"])
        let provider = pool.provider(manager: manager)
        _ = try await provider.credentials().value
        let own = NSError(domain: "mine", code: 7)
        manager.failure.withLock { $0 = own }
        #expect(try await provider.credentials().value?.accessKey == "A")
        provider.invalidateCachedTemporaryCredentials()
        #expect(await provider.credentials().failure() === own)
    }

    // MARK: refusals

    @Test(arguments: ["ResourceNotFoundException", "NotAuthorizedException"])
    func `a refused identity is discarded and the call repeated once`(code: String) async throws {
        let pool = try CognitoPoolServer { $0.text.contains("stale") ? code : nil }
        let provider = pool.provider()
        provider.identityProvider.identityId = "us-east-1:stale-0"
        #expect(try await provider.credentials().value?.accessKey == "A")
        #expect(provider.identityId == "us-east-1:id-1")
        #expect(pool.calls == ["GetCredentialsForIdentity", "GetId", "GetCredentialsForIdentity"])
    }

    @Test func `a pool that refuses every identity is a configuration error with Cognito's as its cause`() async throws
    {
        let pool = try CognitoPoolServer { $0.operation == "GetId" ? nil : "NotAuthorizedException" }
        let error = await pool.provider().credentials().failure()
        #expect(error?.domain == AWSCognitoCredentialsProviderErrorDomain)
        #expect(error?.code == AWSCognitoCredentialsProviderErrorType.invalidConfiguration.rawValue)
        #expect(error?.localizedDescription.contains(poolID) == true)
        let inner = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(inner?.domain == AWSCognitoIdentityErrorDomain)
        #expect(inner?.code == AWSCognitoIdentityErrorType.notAuthorized.rawValue)
        #expect(pool.calls.count == 4)
    }

    @Test func `a pool that does not exist is the same error for tasks and for calls`() async throws {
        let pool = try CognitoPoolServer { _ in "ResourceNotFoundException" }
        let provider = pool.provider()
        for error in [await provider.getIdentityId().failure(), await provider.credentials().failure()] {
            #expect(error?.domain == AWSCognitoIdentityErrorDomain)
            #expect(error?.code == AWSCognitoIdentityErrorType.resourceNotFound.rawValue)
            #expect(error?.localizedDescription.contains("refused by the test") == true)
            #expect(error?.localizedDescription.contains(poolID) == true)
        }
        let failure = await #expect(throws: CredentialsFailure.self) {
            try await provider.credentialsSource.credentials()
        }
        #expect(failure?.nsError().domain == AWSCognitoIdentityErrorDomain)
    }

    @Test func `a task's error is an NSError object`() async throws {
        let provider = AWSCognitoCredentialsProvider(regionType: .Unknown, identityPoolId: poolID, environment: [:])
        let task = provider.getIdentityId()
        _ = try? await task.value
        let error = task.error as? NSError
        #expect(error?.domain == AWSCognitoCredentialsProviderErrorDomain)
        #expect(error?.code == AWSCognitoCredentialsProviderErrorType.invalidConfiguration.rawValue)
        #expect(error?.localizedDescription.contains("region") == true)
    }

    @Test func `an endpoint that does not respond is an error of the URL domain`() async throws {
        let unreachable = AWSCognitoCredentialsProvider(
            regionType: .USEast1,
            identityPoolId: poolID,
            environment: ["AWS_ENDPOINT_URL": "http://127.0.0.1:1"]
        )
        let error = await unreachable.credentials().failure()
        #expect(error?.domain == NSURLErrorDomain)
        #expect(error?.code == NSURLErrorCannotConnectToHost)
    }

    // MARK: the classic flow

    @Test func `with role ARNs a guest's keys come from STS, in exchange for a token of Cognito`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider(
            unauthRoleArn: "arn:aws:iam::1:role/guest",
            authRoleArn: "arn:aws:iam::1:role/user"
        )
        let credentials = try await provider.credentials().value
        #expect(credentials?.accessKey == "RA")
        #expect(credentials?.sessionKey == "RT")
        #expect(provider.identityId == "us-east-1:id-1")
        #expect(pool.calls == ["GetId", "GetOpenIdToken", "AssumeRoleWithWebIdentity"])
        let form = pool.server.requests[2].text
        #expect(form.contains("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fguest"))
        #expect(form.contains("WebIdentityToken=openid-of-us-east-1%3Aid-1"))
        #expect(form.contains("RoleSessionName=iOS-Provider"))
        _ = try await provider.credentials().value
        #expect(pool.calls.count == 3)
    }

    @Test func `a user with a login gets the other role`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider(
            manager: Logins(["accounts.google.com": "jwt"]),
            unauthRoleArn: "arn:aws:iam::1:role/guest",
            authRoleArn: "arn:aws:iam::1:role/user"
        )
        _ = try await provider.credentials().value
        #expect(pool.server.requests.last?.text.contains("role%2Fuser") == true)
        #expect(pool.server.requests[1].text.contains("jwt"))
    }

    @Test func `without a role for guests the error names the missing role`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider(authRoleArn: "arn:aws:iam::1:role/user")
        let error = await provider.credentials().failure()
        #expect(error?.domain == AWSCognitoCredentialsProviderErrorDomain)
        #expect(error?.code == AWSCognitoCredentialsProviderErrorType.invalidConfiguration.rawValue)
        #expect(error?.localizedDescription.contains("unauthRoleArn") == true)
    }

    @Test func `an identity that Cognito refuses a token is discarded, too`() async throws {
        let pool = try CognitoPoolServer { $0.text.contains("stale") ? "NotAuthorizedException" : nil }
        let provider = pool.provider(unauthRoleArn: "arn:aws:iam::1:role/guest")
        provider.identityProvider.identityId = "us-east-1:stale-0"
        #expect(try await provider.credentials().value?.accessKey == "RA")
        #expect(provider.identityId == "us-east-1:id-1")
    }
}

private final class SignedOutManager: NSObject, AWSIdentityProviderManager, Sendable {
    struct SignedOut: Error {}

    func logins() -> AWSTask<NSDictionary> { AWSTask(error: SignedOut()) }
}
