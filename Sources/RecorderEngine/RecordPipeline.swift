package import FoundationEssentials
package import RecorderAWS
import RecorderConcurrency
package import RecorderDelivery
package import RecorderStore

/// START HERE: the engine's interface. A record's path through the stages save, store, batch, send, settle and flush begins in
/// `save` and `flush`.
///
/// Safe to use from any thread. Completions of stored records, and events, are delivered in order, while no lock is held (see
/// `CallbackQueue`).
package final class RecordPipeline: Sendable {
    package let service: StreamServiceDescription

    let store: RecordStore
    let saves: SaveQueue
    let callbacks: CallbackQueue
    private let flushes: FlushScheduler
    private let settings: Settings
    /// The region that requests go to; nil if it is not configured yet.
    let region: @Sendable () -> Region?

    /// `caller` is called by each flush that has records to send, so that configuration may come after the first saves. `emit`
    /// gets the events, where completions are called. What `keeping` returns stays alive while limits are enforced and flushes run,
    /// which emit events. `region` is asked by saves for a stream's ARN.
    package init(
        _ service: StreamServiceDescription,
        store: RecordStore,
        policy: RecorderPolicy,
        caller: @escaping @Sendable () throws(ConfigurationFailure) -> AWSServiceCaller,
        region: @escaping @Sendable () -> Region? = { nil },
        keeping: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil },
        emit: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        let callbacks = CallbackQueue(store.executor)
        let saves = SaveQueue(store, callbacks: callbacks, keeping: keeping, emit: emit)
        let settings = Settings(policy)
        self.service = service
        self.store = store
        self.saves = saves
        self.callbacks = callbacks
        self.settings = settings
        self.region = region
        let flush = StoreFlush(
            service: service,
            store: store,
            policy: { settings.policy.withLock { $0 } },
            caller: caller,
            earlierSaves: saves.earlierSaves,
            emit: { event in callbacks.deliverNext { emit(event) } }
        )
        flushes = FlushScheduler(callbacks: callbacks, executor: store.executor) { run in
            let kept = keeping()
            defer { withExtendedLifetime(kept) {} }
            return await withTaskExecutorPreference(store.executor) { await flush.perform(run) }
        }
        store.onRescue { rescue in callbacks.deliver { emit(.rescued(rescue)) } }
    }

    /// Every limit and option. There is no setter: who reads a policy, changes a field and writes it back undoes what another
    /// thread changed in between.
    package var policy: RecorderPolicy { settings.policy.withLock { $0 } }

    /// Changes limits and options; applies from the next save or flush on.
    package func configure(_ change: (inout RecorderPolicy) -> Void) {
        settings.policy.withLock { change(&$0) }
    }

    // MARK: - save

    /// Queues a record and returns; `completion` is called once it is durable, in the order of the calls.
    ///
    /// An invalid record fails at once, on the caller's thread, as does every save in a forked process. If the queue is full
    /// this blocks until there is room, at most for `policy.saveTimeout`. A save of a `sequence` is stored only if no earlier
    /// one of it failed.
    package func save(
        _ payload: Data?,
        stream: String?,
        partitionKey: String?,
        sequence: SaveSequence? = nil,
        completion: @escaping SaveCompletion
    ) {
        do {
            let policy = policy
            let record = try checkedRecord(payload, stream: stream, partitionKey: partitionKey, by: policy)
            saves.append(PendingSave(.one(record), policy: policy, sequence: sequence, completion: completion))
        } catch {
            sequence?.fail(error)
            completion(.failure(error))
        }
    }

    func checkedRecord(
        _ payload: Data?,
        stream: String?,
        partitionKey: String?,
        by policy: RecorderPolicy
    ) throws(RecorderError) -> Record {
        try ForkedProcess.check()
        return try service.record(
            payload,
            stream: stream,
            partitionKey: partitionKey,
            maximumBytes: policy.maximumRecordBytes,
            countsKey: policy.countsKeyInRecord,
            delimiter: policy.delimiter,
            region: region
        )
    }

    // MARK: - flush

    /// Sends every record saved before the call; `completion` is called when each was attempted. With the scope `.due`, those of
    /// streams are left out that are being sent, or paused because they failed: from two seconds to a minute.
    ///
    /// A call during another one waits for no stream that the other one waits for, unless it is about that stream, too.
    ///
    /// - Returns: a ticket for `withdraw`.
    @discardableResult
    package func flush(
        _ scope: StreamScheduler.Scope = .all,
        completion: @escaping FlushCompletion
    ) -> FlushTicket {
        if let refusal = ForkedProcess.refusal { return flushes.refuse(refusal, completion: completion) }
        return flushes.flush(scope, completion: completion)
    }

    /// Ends one call's wait: its completion gets `.cancelled`, unless it has been called. If no call waits for the run any more,
    /// it is cancelled; records without an answer are kept, and that does not count as an attempt.
    package func withdraw(_ ticket: FlushTicket) {
        flushes.withdraw(ticket)
    }

    /// Cancels the current run, if `flush` started it: records without an answer are kept, and each completion gets the report
    /// of what was done.
    package func cancelFlush() {
        flushes.cancel()
    }

    /// Sends up to `policy.batchesPerStream` batches of each stream, unless a flush is running, here or in another process:
    /// then the report says so at once. Runs in the calling task; cancelling that keeps records without an answer.
    package func flushIfFree() async throws(RecorderError) -> FlushReport {
        try ForkedProcess.check()
        return try await flushes.flushIfFree()
    }

    /// Sends every record saved before the call, once no other flush is running; runs in the calling task.
    package func drain() async throws(RecorderError) -> FlushReport {
        try ForkedProcess.check()
        return try await flushes.drain()
    }

    // MARK: - counts

    /// The store's counts as of the last completed save or settle. Blocks for one small read.
    package func totals() throws(RecorderError) -> StoreTotals {
        try ForkedProcess.check()
        return try store.totals()
    }

    /// The same by stream, with limits and errors. Blocks for one read.
    package func status() throws(RecorderError) -> StoreStatus {
        try ForkedProcess.check()
        return try store.status()
    }
}

/// The current policy, shared with flushes.
private final class Settings: Sendable {
    let policy: Locked<RecorderPolicy>

    init(_ policy: RecorderPolicy) {
        self.policy = Locked(policy)
    }
}
