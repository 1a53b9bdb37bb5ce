import Foundation
import Synchronization

/// Whether this process is a copy, made by `fork`, of one that used a store.
///
/// A copy has the other's connections and locks, and none of its threads: a save would wait for ever, and one that did not
/// could damage the file (https://www.sqlite.org/howtocorrupt.html, 2.6). So each call of a copy is refused, before it
/// meets a lock that nobody may be left to give back.
enum ForkedProcess {
    private static let isCopy = Atomic(false)

    /// Looked out for from the first use on, so that who forks before it may use stores in either process.
    private static let isWatched = pthread_atfork(nil, nil, { isCopy.store(true, ordering: .relaxed) }) == 0

    /// Why this process may use no store; nil where it may.
    static var refusal: RecorderError? {
        guard isWatched, isCopy.load(ordering: .relaxed) else { return nil }
        return .storage(
            "This process was forked from one that used a record store, which stays the other's. "
                + "Fork before the first use, or start a program with exec or posix_spawn.",
            nil
        )
    }

    static func check() throws(RecorderError) {
        if let refusal { throw refusal }
    }
}
