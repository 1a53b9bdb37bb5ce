/// When a command that saves sends next. A value: the time comes in with each event.
///
/// | state | the next look at the store |
/// |---|---|
/// | `idle` | soon after a save; without one, after pauses that double to a minute, for what other processes store |
/// | `failing` | after pauses that double to a minute, and soon after a save if other streams may work |
///
/// Looks that a save leads to are a second apart. A look leads to a submit if there is something to send.
package struct SubmitSchedule {
    package typealias Instant = ContinuousClock.Instant

    /// What a look finds in the store.
    package enum Stored: Sendable {
        /// The store cannot be read; the submit says why.
        case unreadable
        /// `hasOthers` says that some are of streams without an error.
        case records(Int, bytes: Int, hasOthers: Bool = false)
    }

    /// How a submit ended.
    package enum Outcome: Sendable {
        /// It sent something, or had no error.
        case useful
        /// It sent nothing. Streams without records may work.
        case streamsFailed
        /// It sent nothing, for a reason of all streams.
        case failed
    }

    private enum State {
        case idle(pause: Duration)
        case failing(pause: Duration, until: Instant, othersMayWork: Bool)
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
        if case .failing(_, _, othersMayWork: false) = state { return false }
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
        guard case .records(let records, let bytes, let hasOthers) = stored else { return true }
        if records == 0 {
            let pause = if case .idle(let pause) = state { Self.doubled(pause) } else { Self.interval }
            state = .idle(pause: pause)
            look(by: now + pause)
            return false
        }
        if case .failing(_, let until, _) = state, now < until, !hasOthers {
            look(by: until)
            return false
        }
        if let buffer, let firstSave, now < firstSave + buffer.age, records < buffer.records, bytes < buffer.bytes {
            state = .idle(pause: Self.interval)
            look(by: firstSave + buffer.age)
            return false
        }
        firstSave = nil
        return true
    }

    /// Whether the last submit sent nothing because of an error.
    package var isFailing: Bool { if case .failing = state { true } else { false } }

    /// A submit ended.
    package mutating func submitted(_ outcome: Outcome, at now: Instant) {
        guard outcome != .useful else {
            state = .idle(pause: Self.interval)
            return look(by: max(lastLook + Self.interval, now))
        }
        let before = if case .failing(let pause, _, _) = state { pause } else { Self.interval }
        let (pause, othersMayWork) = (Self.doubled(before), outcome == .streamsFailed)
        state = .failing(pause: pause, until: now + pause, othersMayWork: othersMayWork)
        nextLook = othersMayWork ? min(nextLook, now + pause) : now + pause
    }

    private mutating func look(by instant: Instant) {
        nextLook = min(nextLook, instant)
    }

    private static func doubled(_ pause: Duration) -> Duration { min(pause * 2, longestPause) }
}
