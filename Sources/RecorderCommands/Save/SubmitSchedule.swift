/// When a command that saves sends next. A value: the time comes in with each event.
///
/// | state | the next look at the store |
/// |---|---|
/// | `idle` | soon after a save; without one, after pauses that double to a minute, for what other processes store; and when a stream that failed is due |
/// | `failing`: nothing can be sent at all | after pauses that double to a minute |
///
/// Looks that a save leads to are a second apart. A look leads to a submit if there is something to send; the next look does not
/// wait for its end.
package struct SubmitSchedule {
    package typealias Instant = ContinuousClock.Instant

    /// What a look finds in the store.
    package enum Stored: Sendable {
        /// The store cannot be read; the submit says why.
        case unreadable
        case records(Int, bytes: Int)
    }

    /// How a submit ended.
    package enum Outcome: Sendable {
        /// It sent something, or had no error.
        case useful
        /// It sent nothing: the streams with records are being sent, or failed. The first of these is due then.
        case waiting(until: Instant?)
        /// It sent nothing, for a reason of all streams.
        case failed
    }

    private enum State {
        case idle(pause: Duration)
        case failing(pause: Duration, until: Instant)
    }

    /// Between two looks.
    private static let interval = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)
    /// How long the first records after a pause wait for others, which share their request.
    private static let linger = Duration.milliseconds(100)

    private let buffer: SendBuffer?
    private var state = State.idle(pause: interval)
    private var lastLook: Instant
    /// When the first record was saved that waits for the buffer to fill. nil sends what is stored with the next look: it was
    /// saved by an earlier run, or by another process.
    private var firstSave: Instant?
    /// When the next look is due.
    package private(set) var nextLook: Instant

    /// The first look is due at once.
    package init(_ buffer: SendBuffer?, at now: Instant) {
        self.buffer = buffer
        (lastLook, nextLook) = (now, now)
    }

    /// Records were stored. True if the next look is due earlier than it was.
    package mutating func saved(at now: Instant) -> Bool {
        firstSave = firstSave ?? now
        if case .failing = state { return false }
        let look = max(lastLook + Self.interval, now + Self.linger)
        guard look < nextLook else { return false }
        nextLook = look
        return true
    }

    /// A look begins. What is saved from now on, it may not find.
    package mutating func lookBegan(at now: Instant) {
        assert(now >= nextLook, "a look before it is due")
        lastLook = now
        nextLook = now + Self.longestPause
    }

    /// Takes what the look found; true if it is to be sent now.
    package mutating func found(_ stored: Stored, at now: Instant) -> Bool {
        if case .records(0, _) = stored {
            // Another process sent them. What was saved since the look began waits from then on.
            if let saved = firstSave, saved < lastLook { firstSave = nil }
            look(by: now + pauseAfterLook)
            state = .idle(pause: pauseAfterLook)
            return false
        }
        if case .failing(_, let until) = state, now < until {
            look(by: until)
            return false
        }
        if case .records(let records, let bytes) = stored, let buffer, let firstSave, now < firstSave + buffer.age,
            records < buffer.records, bytes < buffer.bytes
        {
            state = .idle(pause: Self.interval)
            look(by: firstSave + buffer.age)
            return false
        }
        firstSave = nil
        if case .idle = state {
            look(by: now + pauseAfterLook)
            state = .idle(pause: pauseAfterLook)
        }
        return true
    }

    /// How long the store is left alone if nothing is saved.
    private var pauseAfterLook: Duration {
        if case .idle(let pause) = state { Self.doubled(pause) } else { Self.interval }
    }

    /// A submit ended.
    package mutating func submitted(_ outcome: Outcome, at now: Instant) {
        switch outcome {
        case .useful:
            state = .idle(pause: Self.interval)
            look(by: max(lastLook + Self.interval, now))
        case .waiting(let until):
            if case .failing = state { state = .idle(pause: Self.interval) }
            if let until { look(by: max(lastLook + Self.interval, until)) }
        case .failed:
            let before = if case .failing(let pause, _) = state { pause } else { Self.interval }
            let pause = Self.doubled(before)
            state = .failing(pause: pause, until: now + pause)
            nextLook = now + pause
        }
    }

    private mutating func look(by instant: Instant) {
        nextLook = min(nextLook, instant)
    }

    private static func doubled(_ pause: Duration) -> Duration { min(pause * 2, longestPause) }
}
