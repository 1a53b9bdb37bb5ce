public import AWSServiceClients
import Foundation
public import RecordClientFoundation

extension RecordClientFoundation.AWSCredentials {
    /// The same keys for the service clients, with token and expiration if they are `AWSTemporaryCredentials`.
    public func toAWSCredentialIdentity() throws -> AWSCredentialIdentity {
        let temporary = self as? any AWSTemporaryCredentials
        return AWSCredentialIdentity(
            accessKey: accessKeyId,
            secret: secretAccessKey,
            expiration: temporary?.expiration,
            sessionToken: temporary?.sessionToken
        )
    }
}

extension AWSCredentialIdentity {
    /// The same keys for the Amplify clients; `AWSTemporaryCredentials` if they have a session token. Without an
    /// expiration these never expire.
    public func toAWSCredentials() throws -> any RecordClientFoundation.AWSCredentials {
        guard let sessionToken else { return Permanent(accessKeyId: accessKey, secretAccessKey: secret) }
        return Temporary(
            accessKeyId: accessKey,
            secretAccessKey: secret,
            sessionToken: sessionToken,
            expiration: expiration ?? .distantFuture
        )
    }
}

extension RecordClientFoundation.AWSCredentialsProvider where Self: AWSCredentialIdentityResolver {
    /// The keys of `getIdentity(identityProperties:)`.
    public func resolve() async throws -> any RecordClientFoundation.AWSCredentials {
        try await getIdentity(identityProperties: nil).toAWSCredentials()
    }
}

extension AWSCredentialIdentityResolver where Self: RecordClientFoundation.AWSCredentialsProvider {
    /// The keys of `resolve()`.
    public func getIdentity(identityProperties: Attributes? = nil) async throws -> AWSCredentialIdentity {
        try await resolve().toAWSCredentialIdentity()
    }
}

private struct Permanent: RecordClientFoundation.AWSCredentials {
    let accessKeyId: String
    let secretAccessKey: String
}

private struct Temporary: AWSTemporaryCredentials {
    let accessKeyId: String
    let secretAccessKey: String
    let sessionToken: String
    let expiration: Date
}

extension Permanent: CustomReflectable {
    /// A mirror without keys.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Temporary: CustomReflectable {
    /// A mirror without keys.
    var customMirror: Mirror { Mirror(self, children: []) }
}
