import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// Runs the rounds of one flush: performs what `StreamScheduler` decides, several streams at a time.
///
/// One stream's failure does not affect the others, except that nothing more is sent if an answer cannot be settled, and that a
/// host which cannot be reached is not tried for each stream. The rounds that wait then end, and what is requested later waits
/// for the next run.
struct ParallelStreamFlush: Sendable {
    private enum Event: Sendable {
        case ended(StreamSummary, FlushReport)
        case answered
        case requested
    }

    /// A round that has begun.
    private struct Round {
        let round: FlushRound
        let beginning: StoreFlush.Beginning
        let start = SystemTime.now
        /// What was settled and sent before its streams were tried, or tried again.
        var earlier = FlushReport()
        /// How many records left the store before its streams were tried again; nil if they were tried once.
        var leftBefore: Int?
    }

    private let flush: StoreFlush
    private let run: FlushRun
    private let lease: SubmitLease
    private let meter = ProgressMeter()
    private var rounds: [Int: Round] = [:]
    /// The results of rounds that have ended, and that have not been told.
    private var results: [RoundResult] = []
    /// Whether the errors of its only round are all there are.
    private var hasOneRound = true

    init(_ flush: StoreFlush, run: FlushRun, lease: SubmitLease) {
        self.flush = flush
        self.run = run
        self.lease = lease
    }

    private typealias Group = TaskGroup<Event?>

    /// Runs rounds until none is left. Returns the results that no other round has outlasted.
    mutating func perform() async -> [RoundResult] {
        await withTaskGroup(of: Event?.self) { group in
            wait(for: run.requests, as: .requested, in: &group)
            wait(for: meter.answers, as: .answered, in: &group)
            await begin(run.first, in: &group)
            while !isIdle, let event = await group.next() { await handle(event, in: &group) }
            assert(rounds.isEmpty, "a round has not ended")
            group.cancelAll()
        }
        return results.sorted { $0.round.number < $1.round.number }
    }

    private func wait(for elements: AsyncStream<Void>, as event: Event, in group: inout Group) {
        group.addTask {
            for await _ in elements { return event }
            return nil
        }
    }

    // MARK: - events

    private mutating func handle(_ event: Event?, in group: inout Group) async {
        switch event {
        case .ended(let stream, let report)?:
            MallocTrim.run(after: stream.batchBytes(for: flush.policy()))
            if Task.isCancelled {
                await perform(decide { $0.cancelled() }, in: &group)
            } else if !maySend {
                await perform(decide { $0.stopped() }, in: &group)
            }
            await perform(decide { $0.ended(stream.name, report: report, at: SystemTime.now) }, in: &group)
        case .answered?:
            wait(for: meter.answers, as: .answered, in: &group)
            await perform(decide { $0.answered() }, in: &group)
        case .requested?:
            wait(for: run.requests, as: .requested, in: &group)
            if maySend, let round = run.nextRound() { await begin(round, in: &group) }
        case nil: break
        }
    }

    /// Whether attempts may begin. What is requested when they may not waits for the next run.
    private var maySend: Bool { flush.history.settles.failure == nil && !Task.isCancelled }

    private var isIdle: Bool { flush.history.scheduler.withLock(\.isIdle) }

    private func decide(_ event: (inout StreamScheduler) -> [StreamScheduler.Action]) -> [StreamScheduler.Action] {
        flush.history.scheduler.withLock { event(&$0) }
    }

    private mutating func begin(_ round: FlushRound, in group: inout Group) async {
        hasOneRound = round == run.first
        do throws(RecorderError) {
            let beginning = try await flush.begin(run.start, lease: lease) { [flush, meter] in
                flush.emit(meter.adding($0))
            }
            guard let beginning else { return end(round, with: .success(FlushReport())) }
            var begun = Round(round: round, beginning: beginning)
            if isIdle { begun.earlier = try await beginning.context.settleEarlier() }
            meter.expectAnswer()
            await request(begun, in: &group)
        } catch {
            // Answers of an earlier flush may be settled.
            await flush.store.makeSettlesDurable()
            end(round, with: .failure(error))
        }
    }

    // MARK: - actions

    private mutating func request(_ round: Round, in group: inout Group) async {
        rounds[round.round.number] = round
        let beginning = round.beginning
        let actions = decide { scheduler in
            scheduler.requested(
                round.round.number,
                scope: round.round.scope,
                streams: beginning.streams,
                unreachable: beginning.unreachable,
                policy: beginning.context.policy,
                at: SystemTime.now
            )
        }
        await perform(actions, in: &group)
    }

    private mutating func perform(_ actions: [StreamScheduler.Action], in group: inout Group) async {
        for action in actions {
            switch action {
            case .start(let stream, let number):
                guard let context = rounds[number]?.beginning.context else {
                    preconditionFailure("an attempt for a round that has ended")
                }
                group.addTask { [history = flush.history] in
                    var attempt = StreamFlush(stream, context: context, history: history)
                    return .ended(stream, await attempt.run())
                }
            case .end(let number, let report, let untried):
                guard let round = rounds.removeValue(forKey: number) else {
                    preconditionFailure("a round ended that has not begun")
                }
                await end(round, report: report, untried: untried, in: &group)
            }
        }
    }

    private mutating func end(
        _ round: Round,
        report: FlushReport,
        untried: [StreamName],
        in group: inout Group
    ) async {
        var (report, untried) = (report, untried)
        if flush.history.settles.failure != nil { untried += report.reportStoreFailureOnce() }
        if let repeated = await repeated(round, after: report) { return await request(repeated, in: &group) }
        report.add(round.earlier)
        let context = round.beginning.context
        let isOfAll = hasOneRound && context.policy.streams == nil && untried.isEmpty && report.omitted.isEmpty
        let names = round.beginning.streams.map(\.name) + round.beginning.unreachable.map(\.stream)
        let left = Set(untried + report.omitted)
        let tried = names.filter { !left.contains($0) }
        if !tried.isEmpty { await flush.end(report, tried: isOfAll ? nil : tried, since: round.start) }
        await flush.store.makeSettlesDurable()
        end(round.round, with: .success(report))
    }

    private mutating func end(_ round: FlushRound, with result: Result<FlushReport, RecorderError>) {
        results.append(RoundResult(round: round, result: result))
        // The last ones are told when the run has ended.
        guard !isIdle else { return }
        // Requests for all streams are answered in their order.
        let open = rounds.values.filter { $0.round.scope == .all }.map(\.round.number).min() ?? .max
        func isToBeTold(_ result: RoundResult) -> Bool { result.round.scope == .due || result.round.number < open }
        for result in results.filter(isToBeTold).sorted(by: { $0.round.number < $1.round.number }) { run.ended(result) }
        results.removeAll(where: isToBeTold)
    }

    /// The same round once more: the disk became full while answers were on their way, and what was settled of them has made
    /// room. A round for what is due would leave out the streams that failed; another one comes by itself.
    private func repeated(_ round: Round, after report: FlushReport) async -> Round? {
        let left = round.leftBefore.map { $0 + report.delivered + report.discarded }
        guard round.round.scope == .all, report.failures.contains(where: \.error.isDiskFull), left != 0, isIdle,
            let settled = try? await round.beginning.context.settleEarlier()
        else { return nil }
        var round = round
        for part in [report, settled] { round.earlier.add(part) }
        round.earlier.failures = []
        round.leftBefore = settled.delivered + settled.discarded
        return round
    }
}

extension FlushReport {
    /// The flush stopped as a whole, whichever stream noticed first. Returns the others.
    fileprivate mutating func reportStoreFailureOnce() -> [StreamName] {
        func isOfStore(_ failure: Failure) -> Bool { if case .storage = failure.error { true } else { false } }
        let others = failures.filter(isOfStore).dropFirst().map(\.stream)
        failures.removeAll { isOfStore($0) && others.contains($0.stream) }
        return others
    }

    mutating func add(_ other: FlushReport) {
        delivered += other.delivered
        entries += other.entries
        discarded += other.discarded
        failures += other.failures
    }
}

/// Adds up the progress of all streams since the flush began, and tells when the service answers.
private final class ProgressMeter: Sendable {
    private let sum = Locked(FlushProgress())
    private let start = SystemTime.now
    private let isAwaited = Locked(false)
    private let firstAnswers = AsyncStream.makeStream(of: Void.self)

    /// Has an element for the first answer after each `expectAnswer`.
    var answers: AsyncStream<Void> { firstAnswers.stream }

    func expectAnswer() { isAwaited.withLock { $0 = true } }

    func adding(_ event: RecorderEvent) -> RecorderEvent {
        if case .answered = event { noteAnswer() }
        guard case .settled(let step) = event else { return event }
        return .settled(
            sum.withLock { sum in
                sum.delivered += step.delivered
                sum.entries += step.entries
                sum.bytes += step.bytes
                sum.recordsLeft = step.recordsLeft
                sum.bytesLeft = step.bytesLeft
                sum.elapsed = SystemTime.now - start
                return sum
            }
        )
    }

    private func noteAnswer() {
        let wasAwaited = isAwaited.withLock { isAwaited in
            defer { isAwaited = false }
            return isAwaited
        }
        if wasAwaited { firstAnswers.continuation.yield() }
    }
}
