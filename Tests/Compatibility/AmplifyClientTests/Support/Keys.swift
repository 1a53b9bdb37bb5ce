import AmplifyFoundation
import Foundation
import RecorderTestSupport

/// A provider that gives itself, as applications write them.
struct Keys: AWSCredentialsProvider, AWSCredentials {
    var accessKeyId = Canary.accessKey
    var secretAccessKey = Canary.secret

    func resolve() async throws -> any AWSCredentials { self }
}

/// Keys that come with a token.
struct TemporaryKeys: AWSCredentialsProvider, AWSTemporaryCredentials {
    let accessKeyId = "ASIAEXAMPLE"
    let secretAccessKey = Canary.secret
    let sessionToken = Canary.token
    let expiration = Date(timeIntervalSinceNow: 3_600)

    func resolve() async throws -> any AWSCredentials { self }
}

/// Nobody is signed in.
struct SignedOut: AWSCredentialsProvider {
    struct Failure: Error, LocalizedError, Equatable {
        var errorDescription: String? { "Nobody is signed in." }
    }

    func resolve() async throws -> any AWSCredentials { throw Failure() }
}
