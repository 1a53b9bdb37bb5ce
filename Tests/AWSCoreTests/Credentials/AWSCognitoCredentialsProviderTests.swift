import AWSCore
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderTestSupport
import Testing

struct AWSCognitoCredentialsProviderTests {
    private let pool = "us-east-1:00000000-0000-0000-0000-000000000000"

    /// A provider that asks a local server.
    private func provider(
        at server: LocalServer,
        manager: (any AWSIdentityProviderManager)? = nil
    ) -> AWSCognitoCredentialsProvider {
        AWSCognitoCredentialsProvider(
            regionType: .USEast1,
            identityPoolId: pool,
            identityProviderManager: manager,
            environment: ["AWS_ENDPOINT_URL_COGNITO_IDENTITY": "http://127.0.0.1:\(server.port)"]
        )
    }

    /// A pool that numbers the identities it gives out.
    private func cognito() throws -> LocalServer {
        let given = Locked(0)
        return try LocalServer { request, _ in
            switch request.operation {
            case "GetId":
                let number = given.withLock { given in
                    given += 1
                    return given
                }
                return .json(200, #"{"IdentityId":"us-east-1:id-\#(number)"}"#)
            case "GetCredentialsForIdentity":
                let keys = #""AccessKeyId":"A","SecretKey":"S","SessionToken":"T","Expiration":4102444800"#
                let id = request.text.firstMatch(of: /us-east-1:id-\d+/).map { String($0.output) } ?? ""
                return .json(200, #"{"IdentityId":"\#(id)","Credentials":{\#(keys)}}"#)
            default:
                return .error(400, "UnknownOperationException")
            }
        }
    }

    @Test func `a guest gets an identity once and keys for it`() async throws {
        let server = try cognito()
        let provider = provider(at: server)
        #expect(provider.identityPoolId == pool)
        #expect(provider.identityId == nil)
        let id = try await provider.getIdentityId().value
        let again = try await provider.getIdentityId().value
        let credentials = try await provider.credentials().value
        #expect(id == "us-east-1:id-1")
        #expect(again == id)
        #expect(provider.identityId == "us-east-1:id-1")
        #expect(credentials?.accessKey == "A")
        #expect(credentials?.secretKey == "S")
        #expect(credentials?.sessionKey == "T")
        #expect(credentials?.expiration == Date(timeIntervalSince1970: 4_102_444_800))
        #expect(server.requests.map(\.operation) == ["GetId", "GetCredentialsForIdentity"])
    }

    @Test func `asking for keys makes the identity known`() async throws {
        let server = try cognito()
        let provider = provider(at: server)
        _ = try await provider.credentials().value
        #expect(provider.identityId == "us-east-1:id-1")
        #expect(server.requests.count == 2)
    }

    @Test func `keys at hand are used again until they are invalidated`() async throws {
        let server = try cognito()
        let provider = provider(at: server)
        _ = try await provider.credentials().value
        _ = try await provider.credentials().value
        #expect(server.requests.count == 2)
        provider.invalidateCachedTemporaryCredentials()
        _ = try await provider.credentials().value
        #expect(server.requests.map(\.operation).last == "GetCredentialsForIdentity")
        #expect(server.requests.count == 3)
        #expect(provider.identityId == "us-east-1:id-1")
    }

    @Test func `clearing the keychain makes a new guest`() async throws {
        let server = try cognito()
        let provider = provider(at: server)
        _ = try await provider.credentials().value
        provider.clearKeychain()
        #expect(provider.identityId == nil)
        #expect(try await provider.getIdentityId().value == "us-east-1:id-2")
        #expect(server.requests.map(\.operation) == ["GetId", "GetCredentialsForIdentity", "GetId"])
    }

    @Test func `new logins fetch new keys for the same identity`() async throws {
        let server = try cognito()
        let manager = Logins()
        let provider = provider(at: server, manager: manager)
        _ = try await provider.credentials().value
        manager.given.withLock { $0 = ["graph.facebook.com": "facebook-token"] }
        _ = try await provider.credentials().value
        #expect(server.requests.last?.operation == "GetCredentialsForIdentity")
        #expect(server.requests.last?.text.contains("facebook-token") == true)
        #expect(provider.identityId == "us-east-1:id-1")
    }

    @Test func `Cognito's refusal comes in Cognito's domain, for tasks and for calls`() async throws {
        let server = try LocalServer { _, _ in .error(400, "ResourceNotFoundException", message: "no such pool") }
        let provider = provider(at: server)
        let error = await #expect(throws: NSError.self) { try await provider.getIdentityId().value }
        #expect(error?.domain == AWSCognitoIdentityErrorDomain)
        #expect(error?.code == AWSCognitoIdentityErrorType.resourceNotFound.rawValue)
        #expect(error?.localizedDescription.contains("no such pool") == true)
        let failure = await #expect(throws: CredentialsFailure.self) {
            try await provider.credentialsSource.credentials()
        }
        #expect(failure?.nsError().domain == AWSCognitoIdentityErrorDomain)
    }

    @Test func `an error is a real NSError where the task is looked at`() async throws {
        let provider = AWSCognitoCredentialsProvider(regionType: .Unknown, identityPoolId: pool)
        let task = provider.getIdentityId()
        _ = try? await task.value
        let error = task.error as? NSError
        #expect(error?.domain == AWSCognitoCredentialsProviderErrorDomain)
        #expect(error?.code == AWSCognitoCredentialsProviderErrorType.invalidConfiguration.rawValue)
        #expect(error?.localizedDescription.contains("region") == true)
    }

    @Test func `nobody at the endpoint is an error of the URL domain`() async throws {
        let server = try cognito()
        server.stop()
        let provider = provider(at: server)
        let error = await #expect(throws: NSError.self) { try await provider.credentials().value }
        #expect(error?.domain == NSURLErrorDomain)
        #expect(error?.code == NSURLErrorCannotConnectToHost)
    }
}

/// What a user writes: logins that change while the program runs.
private final class Logins: NSObject, AWSIdentityProviderManager, Sendable {
    let given = Locked<[String: String]>([:])

    func logins() -> AWSTask<NSDictionary> {
        let dictionary = NSMutableDictionary()
        for (provider, token) in given.withLock({ $0 }) {
            dictionary[NSString(string: provider)] = NSString(string: token)
        }
        return AWSTask(result: dictionary)
    }
}
