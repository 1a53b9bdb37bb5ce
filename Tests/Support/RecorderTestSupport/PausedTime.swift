package import RecorderAWS
import RecorderConcurrency

/// Time in which nothing passes but the pauses that calls ask for, which take none: however slow the machine is.
package final class PausedTime: Sendable {
    private let state = Locked((now: ContinuousClock.now, pauses: [Duration]()))

    package init() {}

    /// What was asked for, in order.
    package var pauses: [Duration] { state.withLock { $0.pauses } }

    /// Replaces the time of a harness's calls.
    package func replace(in call: inout CallConfiguration) {
        call.instant = { self.state.withLock { $0.now } }
        call.pause = { pause in
            self.state.withLock { state in
                state.now += pause
                state.pauses.append(pause)
            }
        }
    }
}
