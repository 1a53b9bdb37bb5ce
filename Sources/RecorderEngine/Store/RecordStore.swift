import RecorderConcurrency
import Synchronization

/// The records on disk: append, next batch, settle, expire, clear, counts.
///
/// One connection writes, in a lane of its own; a second, read-only one reads batches and counts, so neither waits for
/// the other. The file is opened at the first use, and again whenever it could not be or was taken away.
package final class RecordStore: Sendable {
    private let locate: @Sendable () throws(RecorderError) -> StoreLocation
    private let clock: SystemClock
    private let writer = Locked<StoreWriter?>(nil)
    private let reader = Locked<StoreReader?>(nil)
    /// Told of each damaged file that was put aside, once.
    private let rescued = Locked<(@Sendable (Rescue) -> Void)?>(nil)
    /// Who does what blocks or calls user code.
    let crew = StoreExecutor()

    /// How long work that changes the store waits for other processes before it fails.
    static let lockTimeout = Duration.seconds(10)

    /// - Parameters:
    ///   - locate: asked whenever the file is opened.
    ///   - clock: stamps records and ages them.
    package init(
        at locate: @escaping @Sendable () throws(RecorderError) -> StoreLocation,
        clock: SystemClock = .system
    ) {
        self.locate = locate
        self.clock = clock
        Self.stores.add(1, ordering: .relaxed)
        crew.onIdle { [weak self] in self?.closeReader() }
    }

    deinit {
        Self.stores.subtract(1, ordering: .relaxed)
    }

    /// The stores of this process.
    private static let stores = Atomic(0)
    /// Whether this process has so many stores that idle ones keep few files open. Those of a few stay open: to open a store
    /// again writes more than a save does.
    static var areMany: Bool { stores.load(ordering: .relaxed) > 8 }

    /// Closes an idle store that has a second connection. SQLite keeps the descriptor of a closed connection for as long as
    /// another one has the same file open, so the writer is closed with the reader.
    private func closeReader() {
        guard Self.areMany else { return }
        reader.withLock { reader in
            guard reader != nil else { return }
            reader = nil
            writer.withLock { $0 = nil }
        }
    }

    /// Whom to tell of a rescue; the last one asked is told.
    func onRescue(_ report: @escaping @Sendable (Rescue) -> Void) {
        rescued.withLock { $0 = report }
    }

    // MARK: store

    /// Stores a group of saves in one commit. Blocks, for other processes until `deadline`; called in the writer's lane.
    func append(
        _ saves: [PendingSave],
        before deadline: ContinuousClock.Instant
    ) throws(RecorderError) -> AppendReceipt {
        // A file that was deleted or replaced meanwhile holds what nobody will ever read: the group is stored again, in
        // the file that now belongs at this path.
        for _ in 0..<3 {
            let receipt = try withWriter(before: deadline) { (writer) throws(RecorderError) in try writer.append(saves)
            }
            guard closeIfMoved() else { return receipt }
        }
        throw .storage("\(try locate().path) is taken away as often as it is made. Stop whatever removes it.", nil)
    }

    private func closeIfMoved() -> Bool {
        let moved = writer.withLock { writer in
            guard let open = writer, open.hasMoved() else { return false }
            writer = nil
            return true
        }
        if moved { reader.withLock { $0 = nil } }
        return moved
    }

    // MARK: batch

    func streamsWithRecords() async throws(RecorderError) -> [StreamSummary] {
        try await inLane(.read) { () throws(RecorderError) in
            try self.withReader { (reader) throws(RecorderError) in try reader.streamsWithRecords() }
        }
    }

    func nextBatch(
        of queue: StreamSummary,
        after mark: RecordID?,
        before end: Int64,
        _ planner: BatchPlanner,
        _ service: StreamServiceDescription,
        _ buffers: RequestBuffers
    ) async throws(RecorderError) -> Batch? {
        try await inLane(.read) { () throws(RecorderError) in
            try self.withReader { (reader) throws(RecorderError) in
                try reader.nextBatch(of: queue, after: mark, before: end, planner, service, buffers)
            }
        }
    }

    // MARK: settle

    /// The counts when the flush under way began; set by the flush that holds the lease.
    let flushStart = Locked<StoreTotals?>(nil)

    func settle(_ settlement: Settlement) async throws(RecorderError) -> SettleReceipt {
        let start = flushStart.withLock { $0 }
        return try await inLane(.write) { () throws(RecorderError) in
            try self.withWriter { (writer) throws(RecorderError) in try writer.settle(settlement, since: start) }
        }
    }

    /// Discards what is over the limits, as much as one transaction may. Blocks; called in the writer's lane.
    func enforce(_ limits: DiskLimits) throws(RecorderError) -> LimitReceipt {
        try withWriter { (writer) throws(RecorderError) in try writer.enforce(limits) }
    }

    /// Discards what is older than `limit`, in as many transactions as it takes; `discarded` is told of each one's.
    func expire(after limit: Duration, discarded: ([Discard]) -> Void) async throws(RecorderError) {
        guard limit > .zero else { return }
        let limits = DiskLimits(bytes: 0, age: limit, notificationThreshold: 0)
        while true {
            let receipt = try await inLane(.write) { () throws(RecorderError) in try self.enforce(limits) }
            discarded(receipt.discards)
            guard receipt.isCutShort else { return }
            // Other processes wait for the lock as well.
            do {
                try await Task.sleep(for: LimitEnforcer.pause)
            } catch {
                throw .cancelled
            }
        }
    }

    /// Writes down which streams a flush left, and why. A flush that was cancelled leaves the notes as they are, but for
    /// what it learnt.
    func note(_ failures: [FlushReport.Failure]) async throws(RecorderError) {
        let isCancelled = failures.contains { $0.error.isCancellation }
        let failures = failures.filter { !$0.error.isCancellation }
        guard !failures.isEmpty || !isCancelled else { return }
        try await inLane(.write) { () throws(RecorderError) in
            let isNews = try self.withReader { (reader) throws(RecorderError) in try reader.hasTrouble() }
            guard isNews || !failures.isEmpty else { return }
            try self.withWriter { (writer) throws(RecorderError) in try writer.note(failures, now: self.clock.now()) }
        }
    }

    /// Removes everything. Blocks; called in the writer's lane.
    func clear() throws(RecorderError) -> Int {
        try withWriter { (writer) throws(RecorderError) in try writer.clear() }
    }

    /// Takes over an original's database. Blocks; called in the writer's lane.
    func importRecords(from path: String, _ service: StreamServiceDescription) throws(RecorderError) -> Import {
        try withWriter { (writer) throws(RecorderError) in
            try writer.importRecords(from: path, service, now: clock.now())
        }
    }

    // MARK: counts

    /// The counts as of the last commit of any process. Blocks for one small read.
    package func totals() throws(RecorderError) -> StoreTotals {
        // The reader waits for no save. Where none is under way, the writer answers: a second connection would take two more
        // descriptors, and read every segment's name again.
        let isOpen = reader.withLock { $0 != nil }
        if !isOpen, let result = crew.runHere(.write, { Result(catching: totalsOfWriter) }) { return try result.get() }
        return try withReader { (reader) throws(RecorderError) in try reader.totals() }
    }

    private func totalsOfWriter() throws(RecorderError) -> StoreTotals {
        try withWriter { (writer) throws(RecorderError) in try writer.totals() }
    }

    /// The store as people ask for it. Blocks for one read.
    package func status() throws(RecorderError) -> StoreStatus {
        try withReader { (reader) throws(RecorderError) in try reader.status(StoreClock(clock)) }
    }

    // MARK: lease

    /// The right to submit: one process and one flush at a time, so that nothing is sent twice.
    func lease() throws(RecorderError) -> StoreLock {
        // A submit sends what lies at the store's path now, whatever became of the file that was open.
        _ = closeIfMoved()
        return StoreLock(path: "\(try StoreDirectory.prepare(try locate()).path).submit")
    }

    // MARK: - opening

    private func withWriter<T: Sendable>(
        before deadline: ContinuousClock.Instant = .now + lockTimeout,
        _ body: (StoreWriter) throws(RecorderError) -> T
    ) throws(RecorderError) -> T {
        do throws(RecorderError) {
            return try mending(before: deadline) { (seen) throws(RecorderError) in
                try openWriter(&seen, before: deadline, body)
            }
        } catch {
            // Without its directory, not even the lock can be taken: the work is for the file that now belongs there.
            guard closeIfMoved() else { throw error }
            return try mending(before: deadline) { (seen) throws(RecorderError) in
                try openWriter(&seen, before: deadline, body)
            }
        }
    }

    /// `seen` becomes the file that is open, or that could not be opened.
    private func openWriter<T: Sendable>(
        _ seen: inout FileIdentity?,
        before deadline: ContinuousClock.Instant,
        _ body: (StoreWriter) throws(RecorderError) -> T
    ) throws(RecorderError) -> T {
        try writer.withLock { (writer) throws(RecorderError) in
            if let open = writer {
                seen = open.place
                return try body(open.working(before: deadline))
            }
            let opened = try StoreWriter(try locate(), clock, before: deadline, &seen)
            writer = opened
            return try body(opened)
        }
    }

    private func withReader<T: Sendable>(
        _ body: (StoreReader) throws(RecorderError) -> T
    ) throws(RecorderError) -> T {
        let deadline = ContinuousClock.now + Self.lockTimeout
        return try mending(before: deadline) { (seen) throws(RecorderError) in
            try openReader(&seen, before: deadline, body)
        }
    }

    private func openReader<T: Sendable>(
        _ seen: inout FileIdentity?,
        before deadline: ContinuousClock.Instant,
        _ body: (StoreReader) throws(RecorderError) -> T
    ) throws(RecorderError) -> T {
        try reader.withLock { (reader) throws(RecorderError) in
            if let open = reader {
                seen = open.place
                return try body(open)
            }
            // The writer creates the file and its tables; a reader alone could not. (Locks: reader, then writer.)
            let path = try openWriter(&seen, before: deadline) { (writer) throws(RecorderError) in writer.path }
            let opened = try StoreReader(path: path, &seen)
            reader = opened
            return try body(opened)
        }
    }

    /// Does `work` again after a rescue if it meets damage in the file that it says it saw.
    private func mending<T: Sendable>(
        before deadline: ContinuousClock.Instant,
        _ work: (inout FileIdentity?) throws(RecorderError) -> T
    ) throws(RecorderError) -> T {
        var seen: FileIdentity?
        do {
            return try work(&seen)
        } catch {
            guard error.isCorrupt else { throw error }
            try rescue(seen, before: deadline)
            return try work(&seen)
        }
    }

    /// Puts a damaged file aside, with both connections to it closed, and nobody opening another.
    private func rescue(
        _ damaged: FileIdentity?,
        before deadline: ContinuousClock.Instant
    ) throws(RecorderError) {
        let path = try StoreDirectory.prepare(try locate()).path
        let rescue = try reader.withLock { (reader) throws(RecorderError) -> Rescue? in
            reader = nil
            return try writer.withLock { (writer) throws(RecorderError) -> Rescue? in
                writer = nil
                return try StoreWriter.rescue(path, damaged, before: deadline)
            }
        }
        if let rescue, let report = rescued.withLock({ $0 }) { report(rescue) }
    }

    /// Blocking SQLite stays off the threads that run async code: the task goes on, or waits, on a thread of the crew.
    private func inLane<T: Sendable>(
        _ lane: StoreExecutor.Lane,
        _ body: @escaping @Sendable () throws(RecorderError) -> T
    ) async throws(RecorderError) -> T {
        let result = await withTaskExecutorPreference(crew) {
            if let result = crew.runHere(lane, { Result(catching: body) }) { return result }
            return await withCheckedContinuation { continuation in
                crew.run(lane) { continuation.resume(returning: Result(catching: body)) }
            }
        }
        return try result.get()
    }
}
