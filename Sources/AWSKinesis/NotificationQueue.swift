import RecorderAWS
import RecorderConcurrency

/// Calls observers and handlers with one notification at a time, in order. A call that blocks delays later notifications
/// and nothing else.
///
/// The delivering thread makes the call itself, unless another call is in progress: then the notification waits for that
/// call's thread, and the delivering thread continues. At most `capacity` notifications wait; further ones are merged.
package final class NotificationQueue<Notification: Sendable>: Sendable {
    private struct State {
        var waiting: [Notification] = []
        var isCalling = false
        var wasFull = false

        /// Removes and returns the next notification; nil if none is waiting, which ends the calls.
        mutating func next() -> Notification? {
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
    private let merge: @Sendable (_ notification: Notification, _ waiting: inout [Notification]) -> Void

    /// - Parameters:
    ///   - capacity: The maximum number of waiting notifications.
    ///   - merge: Merges a notification into a full queue, which must not grow.
    package init(
        capacity: Int,
        merge: @escaping @Sendable (_ notification: Notification, _ waiting: inout [Notification]) -> Void
    ) {
        self.capacity = capacity
        self.merge = merge
    }

    /// Passes `notification` to `call`, now or after the call in progress.
    package func deliver(_ notification: Notification, call: (Notification) -> Void) {
        let (isFirst, isNewlyFull) = state.withLock { state in
            guard state.isCalling else {
                state.isCalling = true
                return (true, false)
            }
            guard state.waiting.count >= capacity else {
                state.waiting.append(notification)
                return (false, false)
            }
            merge(notification, &state.waiting)
            defer { state.wasFull = true }
            return (false, !state.wasFull)
        }
        if isNewlyFull, capacity > 1 {
            RecorderLog.warning(
                "an observer or a handler of a recorder has not returned; \(capacity) calls of it wait, and further ones are "
                    + "merged. Let it return at once. An observer waits for its queue: serve that, or register with `queue: nil`."
            )
        }
        var next = isFirst ? notification : nil
        while let notification = next {
            call(notification)
            next = state.withLock { $0.next() }
        }
    }
}
