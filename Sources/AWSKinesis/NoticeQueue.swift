import RecorderAWS
import RecorderConcurrency

/// Calls observers and handlers one notice at a time, in order; a call that blocks holds up later notices, and nothing else.
///
/// A notice is given to the application on the thread that brings it, unless another call is under way: then it waits for
/// that one's thread, and the thread that brought it goes on. At most `capacity` notices wait; beyond that they are
/// merged.
package final class NoticeQueue<Notice: Sendable>: Sendable {
    private struct State {
        var waiting: [Notice] = []
        var isCalling = false
        var wasFull = false

        /// What is called next; nil, and noted, if nothing waits.
        mutating func next() -> Notice? {
            isCalling = !waiting.isEmpty
            guard isCalling else {
                wasFull = false
                return nil
            }
            return waiting.removeFirst()
        }
    }

    private let state = Locked(State())
    private let capacity: Int
    private let merge: @Sendable (_ notice: Notice, _ waiting: inout [Notice]) -> Void

    /// - Parameters:
    ///   - capacity: how many notices wait at most.
    ///   - merge: puts a notice into a full queue, which must not grow.
    package init(capacity: Int, merge: @escaping @Sendable (_ notice: Notice, _ waiting: inout [Notice]) -> Void) {
        self.capacity = capacity
        self.merge = merge
    }

    /// Hands `notice` to `call`, now or once the call under way has ended.
    package func bring(_ notice: Notice, call: (Notice) -> Void) {
        let (isFirst, isNewlyFull) = state.withLock { state in
            guard state.isCalling else {
                state.isCalling = true
                return (true, false)
            }
            guard state.waiting.count >= capacity else {
                state.waiting.append(notice)
                return (false, false)
            }
            merge(notice, &state.waiting)
            defer { state.wasFull = true }
            return (false, !state.wasFull)
        }
        if isNewlyFull, capacity > 1 {
            RecorderLog.warning(
                "an observer of a recorder's notifications has not returned; \(capacity) notifications wait for it, and "
                    + "further ones are merged. Register it with `queue: nil`, or serve its queue."
            )
        }
        var next = isFirst ? notice : nil
        while let notice = next {
            call(notice)
            next = state.withLock { $0.next() }
        }
    }
}
