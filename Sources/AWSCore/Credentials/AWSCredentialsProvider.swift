public import Foundation
package import RecorderAWS

/// Where keys come from; conform a class that derives from `NSObject` to bring your own.
///
/// Both methods may be called from any thread, also at the same time. An error that the task faults with is the one that
/// a failing submit shows.
public protocol AWSCredentialsProvider: NSObjectProtocol {
    /// Keys that are valid now; a task with the result nil leaves requests unsigned.
    ///
    /// Asked for before each request, so keep what you have until it nears its end. May block: it is never called on the
    /// threads that Swift's concurrency lives on.
    func credentials() -> AWSTask<AWSCredentials>

    /// Forgets temporary keys, because a service refused them.
    func invalidateCachedTemporaryCredentials()
}

/// A provider of ours, which calls can use without the detour over tasks.
package protocol CredentialsSourceProvider: AWSCredentialsProvider {
    /// The source behind this provider.
    var credentialsSource: any CredentialsSource { get }
}
