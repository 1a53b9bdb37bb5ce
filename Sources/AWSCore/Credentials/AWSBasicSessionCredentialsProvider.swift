public import Foundation
package import RecorderAWS

/// Gives temporary keys that you have from elsewhere; it cannot renew them. Never changes; safe to use from any thread.
public final class AWSBasicSessionCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    private let given: AWSCredentials

    /// A provider of these keys.
    public init(accessKey: String, secretKey: String, sessionToken: String) {
        given = AWSCredentials(accessKey: accessKey, secretKey: secretKey, sessionKey: sessionToken, expiration: nil)
    }

    /// The keys; the task has already succeeded.
    public func credentials() -> AWSTask<AWSCredentials> { AWSTask(result: given) }

    /// Has no effect.
    public func invalidateCachedTemporaryCredentials() {}

    package var credentialsSource: any CredentialsSource { StaticCredentials(given.credentials) }
}
