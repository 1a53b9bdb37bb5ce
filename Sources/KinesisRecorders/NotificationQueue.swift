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

    /// Who is called, for the warning that it has not returned.
    package enum Receiver: Sendable {
        case observers
        case metrics
        /// Only the newest waits, which is no fault.
        case progress
    }

    private let state = Locked(State())
    private let capacity: Int
    private let receiver: Receiver
    private let merge: @Sendable (_ notification: Notification, _ waiting: inout [Notification]) -> Void

    /// - Parameters:
    ///   - capacity: The maximum number of waiting notifications.
    ///   - receiver: Who is called.
    ///   - merge: Merges a notification into a full queue, which must not grow.
    package init(
        capacity: Int,
        of receiver: Receiver = .observers,
        merge: @escaping @Sendable (_ notification: Notification, _ waiting: inout [Notification]) -> Void
    ) {
        self.capacity = capacity
        self.receiver = receiver
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
        if isNewlyFull, let warning { RecorderLog.warning(warning) }
        var next = isFirst ? notification : nil
        while let notification = next {
            call(notification)
            next = state.withLock { $0.next() }
        }
    }

    private var warning: String? {
        switch receiver {
        case .observers:
            "an observer of a recorder's notifications has not returned; \(capacity) of them wait, and further ones are merged. "
                + "An observer waits for its queue: serve that, or register with `queue: nil`, and return at once."
        case .metrics:
            "the metricsHandler of a recorder has not returned; the metrics of \(capacity) submits wait for it, and the oldest are "
                + "dropped for new ones. Let it return at once."
        case .progress: nil
        }
    }
}
