import Glibc
import RecorderConcurrency
import Synchronization

/// Detects whether this process was forked from one that used a store.
///
/// The child has the parent's connections and locks but none of its threads: a save would wait forever, and one that did not
/// could damage the file (https://www.sqlite.org/howtocorrupt.html, 2.6). So every call in a child fails, before it can wait
/// for a lock that no thread will release.
package enum ForkedProcess {
    private static let isChild = Atomic(false)

    /// Registered at the first use, so that a process that forks before may use stores in parent and child.
    ///
    /// The child closes the parent's locks and connections, which would otherwise outlive a killed parent.
    private static let isWatched = pthread_atfork(nil, nil, childBegins) == 0

    private static let childBegins: @convention(c) () -> Void = {
        isChild.store(true, ordering: .relaxed)
        OwnDescriptors.closeAll()
    }

    /// The error of every call in a forked process; nil elsewhere.
    package static var refusal: RecorderError? {
        guard isWatched, isChild.load(ordering: .relaxed) else { return nil }
        return .storage(
            "This process was forked from one that used a record store, which belongs to its parent. "
                + "Fork before the first use, or start a program with exec or posix_spawn.",
            nil
        )
    }

    package static func check() throws(RecorderError) {
        if let refusal { throw refusal }
    }
}
