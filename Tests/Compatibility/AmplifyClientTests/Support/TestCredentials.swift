import AmplifyFoundation
import Foundation
import RecorderTestSupport

/// A provider that returns itself, as applications write them.
struct TestCredentials: AWSCredentialsProvider, AWSCredentials {
    var accessKeyId = Canary.accessKey
    var secretAccessKey = Canary.secret

    func resolve() async throws -> any AWSCredentials { self }
}

/// Keys with a session token.
struct TemporaryTestCredentials: AWSCredentialsProvider, AWSTemporaryCredentials {
    let accessKeyId = "ASIAEXAMPLE"
    let secretAccessKey = Canary.secret
    let sessionToken = Canary.token
    let expiration = Date(timeIntervalSinceNow: 3_600)

    func resolve() async throws -> any AWSCredentials { self }
}

/// A provider without a signed-in user.
struct SignedOutProvider: AWSCredentialsProvider {
    struct Failure: Error, LocalizedError, Equatable {
        var errorDescription: String? { "No user is signed in." }
    }

    func resolve() async throws -> any AWSCredentials { throw Failure() }
}
