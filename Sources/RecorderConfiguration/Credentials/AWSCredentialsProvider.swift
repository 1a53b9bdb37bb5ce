public import AWSTasks
public import Foundation
package import RecorderAWS

/// A source of credentials. Conform a class that derives from `NSObject` to provide your own.
///
/// Both methods may be called on any thread, and at the same time. If the task faults, a failing submit reports its error.
public protocol AWSCredentialsProvider: NSObjectProtocol {
    /// Credentials that are valid now. A task with the result nil leaves requests unsigned.
    ///
    /// Called before each request, so cache the keys until shortly before they expire. May block: it is never called on a
    /// thread of Swift concurrency's pool.
    @discardableResult
    func credentials() -> AWSTask<AWSCredentials>

    /// Discards temporary keys, because a service refused them.
    func invalidateCachedTemporaryCredentials()
}

/// One of this package's providers, whose source calls use directly instead of through tasks.
package protocol CredentialsSourceProvider: AWSCredentialsProvider {
    /// The source behind this provider. For a subclass it is one that calls `credentials()`, which the subclass may override.
    var credentialsSource: any CredentialsSource { get }
}

extension CredentialsSource {
    /// The credentials as a task, which faults with the public error.
    package func credentialsTask() -> AWSTask<AWSCredentials> {
        AWSTask {
            do {
                return try await self.credentials().map(AWSCredentials.init)
            } catch let failure as CredentialsFailure {
                throw failure.nsError()
            }
        }
    }
}
