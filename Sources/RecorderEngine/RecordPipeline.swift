package import Foundation
package import RecorderAWS
import RecorderConcurrency

/// START HERE: the road of a record, one call a stage: save, store, batch, send, settle, flush.
///
/// Safe to use from any thread. Completions and events arrive in order, under no lock, one at a time but for those
/// that block (see `CallbackQueue`).
package final class RecordPipeline: Sendable {
    package let service: StreamServiceDescription

    private let store: RecordStore
    private let line: SaveQueue
    private let delivery: CallbackQueue
    private let settings: Locked<RecorderPolicy>
    private let flushes = Locked(Flushes())
    private let caller: @Sendable () throws(RecorderError) -> AWSServiceCaller
    private let report: @Sendable (RecorderEvent) -> Void

    package typealias FlushCompletion = @Sendable (Result<FlushReport, RecorderError>) -> Void

    /// `caller` is asked at each flush that has something to send, so that configuration may come after the first saves;
    /// `report` is called where completions are.
    package init(
        _ service: StreamServiceDescription,
        _ store: RecordStore,
        _ policy: RecorderPolicy,
        caller: @escaping @Sendable () throws(RecorderError) -> AWSServiceCaller,
        report: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        self.service = service
        self.store = store
        self.caller = caller
        self.report = report
        settings = Locked(policy)
        delivery = CallbackQueue(crew: store.crew)
        line = SaveQueue(store, delivery, report: report)
        store.onRescue { [delivery] rescue in delivery.deliver { report(.rescued(rescue)) } }
    }

    /// Every limit; a change counts from the next save or flush on.
    package var policy: RecorderPolicy {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    // MARK: save

    /// Puts a record in the queue and returns; `completion` is called once it is durable, in the order of the calls.
    ///
    /// A record that is refused for its shape, or in a forked process, is answered at once, on the caller's thread. Where
    /// the queue is full this blocks until there is room, for at most `policy.saveTimeout`. A save of a `sequence` is
    /// stored only if none that was called before it failed.
    package func save(
        _ payload: Data?,
        stream: String?,
        partitionKey: String?,
        sequence: SaveSequence? = nil,
        completion: @escaping SaveCompletion
    ) {
        let save = pending(payload, stream: stream, partitionKey: partitionKey, sequence: sequence, completion)
        guard let save else { return }
        line.append(save)
    }

    /// Saves a record; returns once it is durable. Where the queue is full this suspends until there is room, for at most
    /// `policy.saveTimeout`.
    package func save(_ payload: Data?, stream: String?, partitionKey: String?) async throws(RecorderError) {
        let result: Result<Void, RecorderError> = await withCheckedContinuation { continuation in
            let save = pending(payload, stream: stream, partitionKey: partitionKey) {
                continuation.resume(returning: $0)
            }
            if let save { line.appendLater(save) }
        }
        try result.get()
    }

    /// A checked save; nil if it was refused, and answered.
    private func pending(
        _ payload: Data?,
        stream: String?,
        partitionKey: String?,
        sequence: SaveSequence? = nil,
        _ completion: @escaping SaveCompletion
    ) -> PendingSave? {
        do throws(RecorderError) {
            try ForkedProcess.check()
            let policy = policy
            let record = try service.record(
                payload,
                stream: stream,
                partitionKey: partitionKey,
                maximumBytes: policy.maximumRecordBytes,
                countsKey: policy.countsKeyInRecord
            ).ending(with: policy.delimiter)
            return PendingSave(
                record: record,
                limits: policy.limits,
                deadline: .now + policy.saveTimeout,
                queueLimit: policy.saveQueueBytes,
                sequence: sequence,
                completion: completion
            )
        } catch {
            sequence?.fail(error)
            completion(.failure(error))
            return nil
        }
    }

    /// Returns when nothing is left to discard of what saves found to be over the limits.
    package func limitsEnforced() async {
        await withCheckedContinuation { continuation in line.whenLimitsEnforced { continuation.resume() } }
    }

    // MARK: flush

    /// Sends every record saved before the call; `completion` is called when each was attempted.
    ///
    /// Calls during a run share the next one: two runs of a store are never side by side.
    ///
    /// - Returns: what `giveUp` takes.
    @discardableResult
    package func flush(completion: @escaping FlushCompletion) -> FlushTicket {
        let ticket = FlushTicket(completion)
        if let refusal = ForkedProcess.refusal {
            completion(.failure(refusal))
            return ticket
        }
        let run = flushes.withLock { flushes -> FlushRun? in
            if case .start = flushes.machine.flushRequested(by: ticket) { flushes.newRun() } else { nil }
        }
        if let run { start(run) }
        return ticket
    }

    /// Ends one call's wait: its completion gets `.cancelled`, unless it has been called already. A run that nobody waits
    /// for any more is cancelled; what it has sent and not heard of is kept, and counts as no attempt.
    package func giveUp(_ ticket: FlushTicket) {
        let (withdrawn, run) = flushes.withLock { flushes in
            let (withdrawn, isForNobody) = flushes.machine.withdraw { $0 === ticket }
            return (withdrawn, isForNobody ? flushes.run : nil)
        }
        run?.cancel()
        guard !withdrawn.isEmpty else { return }
        delivery.deliver { ticket.completion(.failure(.cancelled)) }
    }

    /// Cancels the run under way that `flush` started: what has no answer yet is kept, and each call's completion gets the
    /// report of what was done.
    package func cancelFlush() {
        flushes.withLock { $0.run }?.cancel()
    }

    /// Sends up to `policy.batchesPerStream` batches of each stream, unless a flush is under way, here or in another
    /// process: then nothing happens, and the report says so at once.
    ///
    /// Runs in the calling task: cancelling it ends the flush, and keeps what has no answer yet.
    package func flushIfFree() async throws(RecorderError) -> FlushReport {
        try ForkedProcess.check()
        guard flushes.withLock({ $0.machine.startIfIdle() }) else { return .busy }
        return try await runHere(.ifFree)
    }

    /// Sends every record saved before the call, once no other flush is under way; runs in the calling task.
    package func drain() async throws(RecorderError) -> FlushReport {
        try ForkedProcess.check()
        while let end = flushes.withLock({ $0.machine.startIfIdle() ? nil : $0.endOfRun() }) {
            // Ends with the run under way, or with the cancellation of this task.
            for await _ in end {}
            guard !Task.isCancelled else { throw .cancelled }
        }
        return try await runHere(.whenFree)
    }

    private enum FlushStart {
        case whenFree, ifFree
    }

    private struct Flushes {
        var machine = FlushStateMachine<FlushTicket>()
        /// What `flush` started; nil for a run in the calling task.
        var run: FlushRun?
        /// Finished when the run under way ends.
        var ends: [AsyncStream<Void>.Continuation] = []

        mutating func endOfRun() -> AsyncStream<Void> {
            let (end, continuation) = AsyncStream.makeStream(of: Void.self)
            ends.append(continuation)
            return end
        }

        mutating func newRun() -> FlushRun? {
            run = FlushRun()
            return run
        }
    }

    private func start(_ run: FlushRun) {
        run.start { self.end(await self.outcome(of: .whenFree)) }
    }

    private func runHere(_ start: FlushStart) async throws(RecorderError) -> FlushReport {
        let result = await outcome(of: start)
        end(result)
        return try result.get()
    }

    /// Tells a run's result to those who wait for it, and starts the next run if somebody waits for one.
    private func end(_ result: Result<FlushReport, RecorderError>) {
        let (ended, next, ends) = flushes.withLock { flushes in
            flushes.run = nil
            let ended = flushes.machine.flushEnded()
            defer { flushes.ends = [] }
            return (ended, ended.startsAgain ? flushes.newRun() : nil, flushes.ends)
        }
        for end in ends { end.finish() }
        delivery.deliver(ended.served.map { waiter in { @Sendable in waiter.completion(result) } })
        if let next { start(next) }
    }

    private func outcome(of start: FlushStart) async -> Result<FlushReport, RecorderError> {
        do throws(RecorderError) {
            let report = try await withTaskExecutorPreference(store.crew) { () async throws(RecorderError) in
                try await runFlush(start)
            }
            return .success(report)
        } catch {
            return .failure(error)
        }
    }

    private func runFlush(_ start: FlushStart) async throws(RecorderError) -> FlushReport {
        await earlierSaves()
        var policy = policy
        let lease: SubmitLease
        switch start {
        case .whenFree:
            policy.batchesPerStream = nil
            lease = try await SubmitLease.take(store)
        case .ifFree:
            guard let free = try SubmitLease.takeIfFree(store) else { return .busy }
            lease = free
        }
        defer { lease.giveBack() }
        try await store.expire(after: policy.limits.age) { for discard in $0 { deliver(.discarded(discard)) } }
        let totals = try store.totals()
        store.flushStart.withLock { $0 = totals }
        let streams = try await store.streamsWithRecords()
        guard !streams.isEmpty else { return FlushReport() }
        let sender = BatchSender(service, try caller(), policy, lease)
        let start = ContinuousClock.now
        let loop = FlushLoop(store: store, sender: sender, policy: policy, report: deliver)
        let report = await loop.run(streams, before: totals.nextSequence)
        PipelineLog.flushed(service, streams: streams.count, report, .now - start)
        // A note for the status; what it is about is told by the report anyway.
        try? await store.note(report.failures)
        return report
    }

    /// Waits until what was saved before is stored.
    private func earlierSaves() async {
        await withCheckedContinuation { continuation in line.afterEarlierSaves { continuation.resume() } }
    }

    /// Called by a flush, on the crew's threads.
    private func deliver(_ event: RecorderEvent) {
        delivery.deliverNext { [report] in report(event) }
    }

    // MARK: clear

    /// Removes every record saved before the call, without sending it; `completion` gets their number.
    package func clear(completion: @escaping @Sendable (Result<Int, RecorderError>) -> Void) {
        if let refusal = ForkedProcess.refusal { return completion(.failure(refusal)) }
        line.afterEarlierSaves { [store, delivery] in
            let result = Result { () throws(RecorderError) in try store.clear() }
            delivery.deliver { completion(result) }
        }
    }

    /// Takes over the records of a database of the AWS SDK's recorders or of an Amplify client, once.
    package func importRecords(
        from path: String,
        completion: @escaping @Sendable (Result<Import, RecorderError>) -> Void
    ) {
        if let refusal = ForkedProcess.refusal { return completion(.failure(refusal)) }
        line.afterEarlierSaves { [store, delivery, service] in
            let result = Result { () throws(RecorderError) in try store.importRecords(from: path, service) }
            delivery.deliver { completion(result) }
        }
    }

    // MARK: counts

    /// The store's counts as of the last completed save or settle. Blocks for one small read.
    package func totals() throws(RecorderError) -> StoreTotals {
        try ForkedProcess.check()
        return try store.totals()
    }

    /// The same stream by stream, with limits and troubles. Blocks for one read.
    package func status() throws(RecorderError) -> StoreStatus {
        try ForkedProcess.check()
        return try store.status()
    }
}
