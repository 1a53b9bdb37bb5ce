public import Foundation
package import RecorderAWS

/// Gives no keys, so that requests go unsigned. Kinesis and Firehose refuse them. Safe to use from any thread.
public final class AWSAnonymousCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    /// A provider of nothing.
    public override init() {}

    /// A task that has already succeeded with nil.
    public func credentials() -> AWSTask<AWSCredentials> { AWSTask(result: nil) }

    /// Has no effect.
    public func invalidateCachedTemporaryCredentials() {}

    package var credentialsSource: any CredentialsSource { AnonymousCredentials() }
}
