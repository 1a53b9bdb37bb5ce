import RecorderAWS
package import RecorderStore

/// Decides when each stream of a store is tried, and which ones at the same time. Pure: the time comes in with each event.
///
/// A round is what was requested at one moment: it ends when each stream with records was tried, with all that was saved before.
/// Rounds overlap, so that a stream waits only for itself:
///
/// | a stream is | a request for all | a request for what is due | its attempt ends |
/// |---|---|---|---|
/// | idle | waits | waits | |
/// | paused after a failure | waits | waits if its pause is over | |
/// | waiting | shares the attempt | shares the attempt | |
/// | in flight | is tried again afterwards | is left out | idle, or paused |
///
/// What waits starts in order, those that failed last time after the others and in half of the places, if there is room:
///
/// | the service's host | what may start |
/// |---|---|
/// | unknown, or has answered | as many as have room |
/// | doubtful: it could not be reached last time | one stream |
/// | cannot be reached | nothing, until another stream is answered; once no stream is in flight, what waits fails, too |
///
/// A batch is in memory from when it is read, so streams with large batches must not all start at once. One always may.
package struct StreamScheduler: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package enum Scope: Sendable, Hashable {
        /// Every stream with records.
        case all
        /// Those that are not in flight, and not paused because they failed.
        case due
    }

    package enum Action: Sendable {
        /// Begin an attempt, with what was saved before this round.
        case start(StreamSummary, round: Int)
        /// Everything the round asked for was tried, except the streams in `untried`, which have no failure either.
        case end(round: Int, FlushReport, untried: [StreamName])
    }

    /// An attempt, and the rounds that it serves, in order.
    private struct Attempt {
        var stream: StreamSummary
        var rounds: [Int]

        mutating func serve(_ round: Int, with newer: StreamSummary) {
            stream = newer
            rounds.append(round)
        }
    }

    private enum State {
        case waiting(Attempt)
        case inFlight(Attempt, next: Attempt?)
    }

    /// How long nothing is tried after a failure.
    private struct Pause {
        private static let longest = Duration.seconds(60)

        let length: Duration
        let until: Instant

        /// Doubles from two seconds to a minute.
        init(after before: Pause?, isLongest: Bool, at now: Instant) {
            let doubled = (before?.length ?? .seconds(1)) * 2
            length = isLongest ? Self.longest : min(doubled, Self.longest)
            until = now + length
        }
    }

    private enum Host {
        case unknown(hasTimedOut: Bool)
        case answered
        case doubtful(FlushReport.Failure, Pause, probe: StreamName?)
        case unreachable(FlushReport.Failure, Pause)
    }

    private struct Round {
        var report = FlushReport()
        var untried: [StreamName] = []
        var attemptsLeft = 0
    }

    private var states: [StreamName: State] = [:]
    /// The streams that wait, in order.
    private var waiting: [StreamName] = []
    /// The memory of each stream in flight, in bytes.
    private var inFlight: [StreamName: Int] = [:]
    private var pauses: [StreamName: Pause] = [:]
    private var host = Host.unknown(hasTimedOut: false)
    /// Whether all streams are of one account, and so of one host.
    private var sharesHost = true
    private var rounds: [Int: Round] = [:]
    private var policy = RecorderPolicy.legacy

    package init() {}

    /// Whether no stream is in flight or waits.
    package var isIdle: Bool { states.isEmpty }

    // MARK: - events

    /// Streams with records were found for a round; requests cannot concern those in `unreachable`.
    package mutating func requested(
        _ round: Int,
        scope: Scope,
        streams: [StreamSummary],
        unreachable: [FlushReport.Failure] = [],
        policy: RecorderPolicy,
        at now: Instant
    ) -> [Action] {
        precondition(rounds[round] == nil, "two rounds with one number")
        self.policy = policy
        rounds[round] = Round()
        for failure in unreachable where isDue(failure.stream, in: scope, at: now, for: round) {
            pause(failure.stream, after: failure.error, hasSent: false, at: now)
            rounds[round]?.report.failures.append(failure)
            noteNextDue(of: failure.stream, in: round)
        }
        let names = waiting + streams.map(\.name)
        sharesHost = Set(names.map(\.arn?.account)).count <= 1
        // What is known of one host says nothing about the others.
        if case .unreachable = host, !sharesHost { host = .unknown(hasTimedOut: false) }
        askHostAgain(scope, at: now)
        for stream in streams where isDue(stream.name, in: scope, at: now, for: round) { add(stream, to: round) }
        return actions()
    }

    /// The service answered a request of any stream.
    package mutating func answered() -> [Action] {
        host = .answered
        return actions()
    }

    /// The attempt of a stream ended.
    package mutating func ended(_ stream: StreamName, report: FlushReport, at now: Instant) -> [Action] {
        guard case .inFlight(let attempt, let next)? = states.removeValue(forKey: stream) else {
            preconditionFailure("an attempt ended that was not begun")
        }
        inFlight[stream] = nil
        noteHost(stream, failures: report.failures, at: now)
        if let failure = report.failures.first {
            let concernsStream = !failure.error.isCancellation && !isUnreachable(because: failure.error)
            if concernsStream { pause(stream, after: failure.error, hasSent: report.delivered > 0, at: now) }
        } else {
            pauses[stream] = nil
        }
        for round in attempt.rounds {
            rounds[round]?.report.add(report)
            if !report.failures.isEmpty { noteNextDue(of: stream, in: round) }
            rounds[round]?.attemptsLeft -= 1
        }
        if let next { wait(next) }
        return policy.failureRule.endsFlush(after: report.failures) ? stopped() : actions()
    }

    /// Nothing more may be sent: what waits stays untried.
    package mutating func stopped() -> [Action] {
        for attempt in takeWaiting() {
            for round in attempt.rounds {
                rounds[round]?.untried.append(attempt.stream.name)
                rounds[round]?.attemptsLeft -= 1
            }
        }
        return actions()
    }

    /// The same because the run was cancelled, which each round reports once.
    package mutating func cancelled() -> [Action] {
        let left = takeWaiting()
        for round in rounds.keys {
            let untried = left.filter { $0.rounds.contains(round) }.map(\.stream.name)
            rounds[round]?.report.failures += untried.prefix(1).map { .init(stream: $0, error: .cancelled) }
            rounds[round]?.untried += untried.dropFirst()
            rounds[round]?.attemptsLeft -= untried.count
        }
        return actions()
    }

    // MARK: - waiting

    private mutating func add(_ stream: StreamSummary, to round: Int) {
        let attempt = Attempt(stream: stream, rounds: [round])
        rounds[round]?.attemptsLeft += 1
        switch states[stream.name] {
        case nil: wait(attempt)
        case .waiting(var waiting)?:
            waiting.serve(round, with: stream)
            states[stream.name] = .waiting(waiting)
        case .inFlight(let current, var next)?:
            next?.serve(round, with: stream)
            states[stream.name] = .inFlight(current, next: next ?? attempt)
        }
    }

    private mutating func wait(_ attempt: Attempt) {
        states[attempt.stream.name] = .waiting(attempt)
        waiting.append(attempt.stream.name)
    }

    private mutating func takeWaiting() -> [Attempt] {
        var attempts: [Attempt] = []
        for name in waiting {
            if case .waiting(let attempt)? = states.removeValue(forKey: name) { attempts.append(attempt) }
        }
        waiting = []
        for name in inFlight.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard case .inFlight(let current, let next?)? = states[name] else { continue }
            states[name] = .inFlight(current, next: nil)
            attempts.append(next)
        }
        return attempts
    }

    /// Whether a round tries a stream; notes otherwise that it does not, and when a later one will.
    private mutating func isDue(_ stream: StreamName, in scope: Scope, at now: Instant, for round: Int) -> Bool {
        guard scope == .due else { return true }
        if case .inFlight? = states[stream] {
            rounds[round]?.report.omitted.append(stream)
            return false
        }
        guard let until = end(ofPauseOf: stream), now < until else { return true }
        rounds[round]?.report.omitted.append(stream)
        noteNextDue(of: stream, in: round)
        return false
    }

    /// The end of a stream's pause, or of the one of its host.
    private func end(ofPauseOf stream: StreamName) -> Instant? {
        guard case .unreachable(_, let pause) = host, sharesHost else { return pauses[stream]?.until }
        return max(pauses[stream]?.until ?? pause.until, pause.until)
    }

    private mutating func noteNextDue(of stream: StreamName, in round: Int) {
        guard let until = end(ofPauseOf: stream) else { return }
        let before = rounds[round]?.report.nextDue
        rounds[round]?.report.nextDue = min(before ?? until, until)
    }

    // MARK: - failures

    private mutating func pause(_ stream: StreamName, after error: RecorderError, hasSent: Bool, at now: Instant) {
        let before = hasSent ? nil : pauses[stream]
        pauses[stream] = Pause(after: before, isLongest: error.lasts && !hasSent, at: now)
    }

    /// A new round finds out what is true now.
    private mutating func askHostAgain(_ scope: Scope, at now: Instant) {
        switch host {
        case .answered: host = .unknown(hasTimedOut: false)
        case .unreachable(let failure, let pause) where scope == .all || now >= pause.until:
            host = .doubtful(failure, pause, probe: nil)
        case .unknown, .doubtful, .unreachable: break
        }
    }

    private func isUnreachable(because error: RecorderError) -> Bool {
        guard error.concernsAllStreams, case .unreachable = host else { return false }
        return true
    }

    /// Learns about the host from how an attempt ended.
    private mutating func noteHost(_ stream: StreamName, failures: [FlushReport.Failure], at now: Instant) {
        if failures.contains(where: { $0.error.isAnswer && !$0.error.concernsAllStreams }) { host = .answered }
        var (hasTimedOut, pause, isProbe) = (false, Pause?.none, false)
        switch host {
        case .answered, .unreachable: return
        case .unknown(let before): hasTimedOut = before
        case .doubtful(_, let before, let probe): (pause, isProbe) = (before, probe == stream)
        }
        // One stream may be slow; if two get no answer, it is the host.
        let timeout = failures.contains { $0.error.isTimeout }
        let failure = failures.first { $0.error.isTimeout ? hasTimedOut : $0.error.concernsAllStreams }
        if let failure, sharesHost {
            host = .unreachable(failure, Pause(after: pause, isLongest: failure.error.lasts, at: now))
        } else if timeout || isProbe {
            host = .unknown(hasTimedOut: hasTimedOut || timeout)
        }
    }

    // MARK: - actions

    private mutating func actions() -> [Action] {
        var actions: [Action] = []
        while let (index, attempt, bytes) = next() {
            let name = attempt.stream.name
            waiting.remove(at: index)
            states[name] = .inFlight(attempt, next: nil)
            inFlight[name] = bytes
            if case .doubtful(let failure, let pause, _) = host { host = .doubtful(failure, pause, probe: name) }
            guard let round = attempt.rounds.last else { preconditionFailure("an attempt for no round") }
            actions.append(.start(attempt.stream, round: round))
        }
        if case .unreachable(let failure, _) = host, inFlight.isEmpty {
            for attempt in takeWaiting() {
                for round in attempt.rounds {
                    rounds[round]?.report.failures.append(.init(stream: attempt.stream.name, error: failure.error))
                    noteNextDue(of: attempt.stream.name, in: round)
                    rounds[round]?.attemptsLeft -= 1
                }
            }
        }
        for (number, round) in rounds.sorted(by: { $0.key < $1.key }) where round.attemptsLeft == 0 {
            rounds[number] = nil
            actions.append(.end(round: number, round.report, untried: round.untried))
        }
        assert(states.count == waiting.count + inFlight.count, "a stream neither waits nor is in flight")
        assert(!isIdle || rounds.isEmpty, "a round waits for nothing")
        assert(waiting.isEmpty || !inFlight.isEmpty, "streams wait for nothing")
        return actions
    }

    /// The next attempt that may start, where it waits, and the memory that it takes.
    private func next() -> (index: Int, Attempt, bytes: Int)? {
        switch host {
        case .unreachable, .doubtful(_, _, probe: _?): return nil
        case .unknown, .answered, .doubtful(_, _, probe: nil): break
        }
        let places = max(policy.parallelStreams, 1)
        guard inFlight.count < places else { return nil }
        let failing = inFlight.keys.count { pauses[$0] != nil }
        let first = waiting.firstIndex { pauses[$0] == nil }
        let index = first ?? (failing < max(places / 2, 1) ? waiting.indices.first : nil)
        guard let index, case .waiting(let attempt)? = states[waiting[index]] else { return nil }
        let bytes = memory(of: attempt.stream)
        let used = inFlight.values.reduce(0, +)
        return inFlight.isEmpty || used + bytes <= policy.inFlightBytes ? (index, attempt, bytes) : nil
    }

    /// The memory of a stream's batches at one time, in base64: those in flight, and the one that is read ahead.
    private func memory(of stream: StreamSummary) -> Int {
        let batches = policy.batchesPerStream == 1 ? 1 : min(max(policy.requestsPerStream, 1), 1 << 10) + 1
        return stream.batchBytes(for: policy) * batches
    }
}
