import RecorderAWS
package import RecorderConcurrency

/// The records on disk: append, next batch, settle, expire, clear, counts.
///
/// One connection writes, on a serial queue of its own; a second, read-only one reads batches and counts, so neither waits for
/// the other.
package final class RecordStore: Sendable {
    private let clock: SystemClock
    private let connections: StoreConnections
    package let inFlight = InFlightRecords()
    /// Runs what blocks, and what calls application code.
    package let executor = StoreExecutor()

    /// - Parameters:
    ///   - locate: called when the file is opened for the first time, and again until that has succeeded.
    ///   - clock: determines the age of records.
    package init(
        at locate: @escaping @Sendable () throws(RecorderError) -> StoreLocation,
        clock: SystemClock = .system
    ) {
        self.clock = clock
        connections = StoreConnections(at: locate, clock: clock, inFlight: inFlight)
        StoreCount.increment()
        executor.onIdle { [weak connections] in
            if StoreCount.isHigh { connections?.closeIfReading() }
        }
        executor.onCallbackLimit { count in
            RecorderLog.error(
                "\(count) completion blocks of a store are blocked; later ones wait until one of them ends."
            )
        }
    }

    deinit {
        StoreCount.decrement()
    }

    /// `handler` is called for each damaged file that was rescued; it replaces an earlier one.
    package func onRescue(_ handler: @escaping @Sendable (Rescue) -> Void) {
        connections.onRescue(handler)
    }

    // MARK: - store

    /// Stores a group of saves in one commit. Blocks, for other processes until `deadline`; called on the write queue.
    func append(
        _ saves: [PendingSave],
        before deadline: ContinuousClock.Instant
    ) throws(RecorderError) -> AppendReceipt {
        // If the file was deleted or replaced in the meantime, the group is written again to the file now at this path.
        for _ in 0..<3 {
            let receipt = try connections.write(before: deadline, StoreWriter.append, saves)
            guard connections.closeIfMoved() == .withoutRecords else { return receipt }
        }
        throw .storage(
            "\(try connections.location().path) is removed as often as it is created. Stop whatever removes it.",
            nil
        )
    }

    // MARK: - batch

    package func streamsWithRecords() async throws(RecorderError) -> [StreamSummary] {
        try await perform(on: .read, try self.connections.read(StoreReader.streamsWithRecords))
    }

    /// Encodes the next records of a stream; nil if there are none.
    package func read<Encoder>(_ query: RecordQuery<Encoder>) async throws(RecorderError) -> Encoder.Output? {
        try await perform(on: .read, try self.connections.read(StoreReader.read, query))
    }

    // MARK: - settle

    /// Applies what an answer changes. `flushStart` has the counts when the flush began.
    package func settle(_ settlement: Settlement, flushStart: StoreTotals) async throws(RecorderError) -> SettleReceipt
    {
        try await perform(on: .write, try self.settleNow(settlement, flushStart: flushStart))
    }

    private func settleNow(_ settlement: Settlement, flushStart: StoreTotals) throws(RecorderError) -> SettleReceipt {
        do throws(RecorderError) {
            let receipt = try connections.write(StoreWriter.settle, settlement, flushStart)
            inFlight.accepted(settlement.delivered, isSettled: true)
            if let rest = receipt.rest { inFlight.accepted(rest.settlement.delivered, isSettled: false) }
            return receipt
        } catch {
            inFlight.accepted(settlement.delivered, isSettled: false)
            throw error
        }
    }

    /// Makes durable what was settled, so that a power cut does not take back the last answers; warns if the disk cannot now.
    package func makeSettlesDurable() async {
        try? await perform(on: .write, self.connections.syncSettles())
    }

    /// Makes sure that answers can be settled, by a commit if that is not known, and returns how large batches may be.
    package func prepareToSettle(byCommit: Bool) async throws(RecorderError) -> BatchRoom {
        try await perform(on: .write, try self.connections.write(StoreWriter.prepareToSettle, byCommit))
    }

    // MARK: - limits

    /// The time between two transactions that enforce limits, in which other processes can take the lock.
    static let pauseBetweenTransactions = Duration.milliseconds(20)

    /// Discards records beyond the limits, as many as one transaction may. Blocks; called on the write queue.
    func enforce(_ limits: DiskLimits) throws(RecorderError) -> LimitReceipt {
        try connections.write(StoreWriter.enforce, limits)
    }

    /// Moves records out of segments that hold few; whether there is more to do. Blocks; called on the write queue.
    func compact() throws(RecorderError) -> Bool {
        try connections.write(StoreWriter.compact)
    }

    /// Discards everything older than `limit`; `discarded` is called after each transaction.
    package func expire(after limit: Duration, discarded: ([Discard]) -> Void) async throws(RecorderError) {
        guard limit > .zero else { return }
        let limits = DiskLimits(bytes: 0, age: limit, notificationThreshold: 0)
        while true {
            let receipt = try await perform(on: .write, try self.enforce(limits))
            discarded(receipt.discards)
            guard receipt.isIncomplete else { return }
            do {
                try await SystemTime.sleep(for: Self.pauseBetweenTransactions)
            } catch {
                throw .cancelled
            }
        }
    }

    // MARK: - flush

    /// The lock that a submit holds, so that one process and one flush at a time sends the store's records.
    package func submitLock() throws(RecorderError) -> StoreLock {
        // A submit sends what is at the store's path now, whatever happened to the file that was open.
        connections.closeIfMoved()
        return StoreLock(path: "\(try connections.path()).submit")
    }

    /// The claims of followed files, held while the result lives.
    package func fileClaims() -> FileClaims {
        FileClaims { [connections] () throws(RecorderError) in "\(try connections.path()).follow" }
    }

    /// Stores why a flush of some streams left them; nil stands for all. Earlier errors of other streams stay as they are, and
    /// after a cancelled flush all do.
    package func storeErrors(of failures: [FlushReport.Failure], among flushed: [StreamName]?)
        async throws(RecorderError)
    {
        let isCancelled = failures.contains { $0.error.isCancellation }
        let failures = failures.filter { !$0.error.isCancellation }
        try await perform(on: .write, try self.storeErrors(of: failures, replacing: isCancelled ? [] : flushed))
    }

    private func storeErrors(of failures: [FlushReport.Failure], replacing old: [StreamName]?) throws(RecorderError) {
        if failures.isEmpty {
            guard try connections.read(StoreReader.hasErrors) else { return }
        }
        try connections.write(StoreWriter.storeErrors, failures, old, clock.now())
    }

    // MARK: - clear and import

    /// Removes the records of some streams; nil stands for all. Blocks; called on the write queue.
    package func clear(_ selection: StreamSelection?) throws(RecorderError) -> Int {
        connections.closeIfMoved()
        if let selection { return try connections.write(StoreWriter.clearStreams, selection) }
        return try connections.write(StoreWriter.clear)
    }

    /// Puts copies of rejected records back, or removes them. Blocks; called on the write queue.
    package func changeRejected(_ change: StoreWriter.RejectedChange, of selection: StreamSelection?)
        throws(RecorderError)
        -> Int
    {
        connections.closeIfMoved()
        return try connections.write(StoreWriter.changeRejected, change, selection)
    }

    /// Imports another library's database. Blocks; called on the write queue.
    package func importRecords(of source: LegacyDatabase.Source) throws(RecorderError) -> Import {
        connections.closeIfMoved()
        return try connections.write(StoreWriter.importRecords, source, clock.now()).get()
    }

    // MARK: - counts

    /// The counts as of the last commit of any process. Blocks for one small read.
    package func totals() throws(RecorderError) -> StoreTotals {
        // The reader waits for no save. If none is running, the writer is used: opening a second connection would take two
        // more descriptors and read the whole schema again.
        if !connections.hasReader, let result = executor.performIfIdle(on: .write, totalsOfWriter) {
            return try result.get()
        }
        return try connections.read(StoreReader.totals)
    }

    private func totalsOfWriter() -> Result<StoreTotals, RecorderError> {
        Result(catching: connections.totalsOfWriter)
    }

    /// The positions of files that one stream follows, or of all, without those with known ids. Blocks for one read.
    package func filePositions(of stream: String?, except known: Set<Int64>) throws(RecorderError) -> FilePositions {
        try connections.read(StoreReader.filePositions, stream, known)
    }

    /// The store's status. Blocks for one read.
    package func status() throws(RecorderError) -> StoreStatus {
        try connections.read(StoreReader.status, clock)
    }

    /// What the store says about its records without a given key. Blocks for one read.
    package func numbering() throws(RecorderError) -> StoreNumbering {
        try connections.read(StoreReader.numbering)
    }

    /// Runs blocking SQLite on a thread of the executor, inline if the queue is idle, and never on the threads of Swift's pool.
    private func perform<T: Sendable>(
        on queue: StoreExecutor.Queue,
        _ body: @autoclosure @escaping @Sendable () throws(RecorderError) -> T
    ) async throws(RecorderError) -> T {
        let result = await withTaskExecutorPreference(executor) {
            if let result = executor.performIfIdle(on: queue, { Result(catching: body) }) { return result }
            return await withCheckedContinuation { continuation in
                executor.enqueue(on: queue) { continuation.resume(returning: Result(catching: body)) }
            }
        }
        return try result.get()
    }
}
