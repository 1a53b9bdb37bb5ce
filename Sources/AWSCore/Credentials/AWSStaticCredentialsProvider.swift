public import Foundation
package import RecorderAWS

/// Gives keys that never end.
///
/// Do not ship them in an application: whoever has it can read them. Never changes; safe to use from any thread.
public final class AWSStaticCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    private let given: AWSCredentials

    /// A provider of these keys.
    public init(accessKey: String, secretKey: String) {
        given = AWSCredentials(accessKey: accessKey, secretKey: secretKey, sessionKey: nil, expiration: nil)
    }

    /// The keys; the task has already succeeded.
    public func credentials() -> AWSTask<AWSCredentials> { AWSTask(result: given) }

    /// Has no effect.
    public func invalidateCachedTemporaryCredentials() {}

    package var credentialsSource: any CredentialsSource { StaticCredentials(given.credentials) }
}
