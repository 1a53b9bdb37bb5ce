public import Foundation
package import RecorderAWS

/// Provides permanent keys.
///
/// Do not ship them in an application: anyone who has it can extract them. Immutable; safe to use from any thread.
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

/// Provides temporary keys that you obtained elsewhere. It cannot renew them. Immutable; safe to use from any thread.
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

/// Provides no keys, so requests are not signed. Kinesis and Firehose refuse them. Safe to use from any thread.
public final class AWSAnonymousCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    /// A provider without keys.
    public override init() {}

    /// A task that has already succeeded with nil.
    public func credentials() -> AWSTask<AWSCredentials> { AWSTask(result: nil) }

    /// Has no effect.
    public func invalidateCachedTemporaryCredentials() {}

    package var credentialsSource: any CredentialsSource { AnonymousCredentials() }
}
