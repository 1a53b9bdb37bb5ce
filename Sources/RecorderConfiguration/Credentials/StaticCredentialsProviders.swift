public import AWSTasks
public import Foundation
package import RecorderAWS

/// Provides permanent keys.
///
/// Do not ship them in an application: anyone who has it can extract them. Immutable; safe to use from any thread.
///
/// A subclass may override ``credentials()``: it is asked before each request. What it adds must be safe to use from any
/// thread.
open class AWSStaticCredentialsProvider: NSObject, CredentialsSourceProvider {
    private let given: AWSCredentials?

    /// A provider of these keys.
    public init(accessKey: String, secretKey: String) {
        given = AWSCredentials(accessKey: accessKey, secretKey: secretKey, sessionKey: nil, expiration: nil)
    }

    /// A provider without keys, for a subclass that overrides ``credentials()``. Its own task faults.
    public override init() {
        given = nil
    }

    /// The keys; the task has already succeeded.
    @discardableResult
    open func credentials() -> AWSTask<AWSCredentials> {
        guard let given else { return AWSTask(error: Self.noKeys.nsError()) }
        return AWSTask(result: given)
    }

    /// Has no effect.
    open func invalidateCachedTemporaryCredentials() {}

    package final var credentialsSource: any CredentialsSource {
        guard type(of: self) == AWSStaticCredentialsProvider.self, let given else {
            return ProvidedCredentials(from: self)
        }
        return StaticCredentials(given.credentials)
    }

    private static let noKeys = CredentialsFailure(
        "AWSStaticCredentialsProvider() has no keys: use init(accessKey:secretKey:), or override credentials()."
    )
}

// Safe because it is immutable, and a subclass must be safe, too. Not visible in Swift 5 mode, as for `AWSCredentials`.
@available(swift, introduced: 6)
extension AWSStaticCredentialsProvider: @unchecked Sendable {}

/// Provides temporary keys that you obtained elsewhere. It cannot renew them. Immutable; safe to use from any thread.
public final class AWSBasicSessionCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    private let given: AWSCredentials

    /// A provider of these keys.
    public init(accessKey: String, secretKey: String, sessionToken: String) {
        given = AWSCredentials(accessKey: accessKey, secretKey: secretKey, sessionKey: sessionToken, expiration: nil)
    }

    /// The keys; the task has already succeeded.
    @discardableResult
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
    @discardableResult
    public func credentials() -> AWSTask<AWSCredentials> { AWSTask(result: nil) }

    /// Has no effect.
    public func invalidateCachedTemporaryCredentials() {}

    package var credentialsSource: any CredentialsSource { AnonymousCredentials() }
}
