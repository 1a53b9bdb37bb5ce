import RecorderConcurrency
import RecorderSQLite

/// The two connections of a store. They are opened at the first use, and again if the file was replaced; if it is damaged, it
/// is rescued.
///
/// Operations are methods of `StoreWriter` and `StoreReader`, passed unapplied with their arguments:
/// `write(StoreWriter.settle, settlement, totals)`.
final class StoreConnections: Sendable {
    private let locate: @Sendable () throws(RecorderError) -> StoreLocation
    private let place = Locked(Place())
    private let clock: SystemClock
    private let inFlight: InFlightRecords
    private let writer = Locked<StoreWriter?>(nil)
    private let reader = Locked<StoreReader?>(nil)
    private let rescueHandler = Locked<(@Sendable (Rescue) -> Void)?>(nil)
    /// The file that was examined last after an error, if it was sound.
    private let lastExamination = Locked<StoreExamination.Sound?>(nil)

    /// Where the store is: decided when it is opened or its lease is taken, and kept, so that file, locks, reserve and claims stay
    /// together whatever the environment says later.
    private struct Place {
        var location: StoreLocation?
        /// Whether the file was ever open there. If not, the next attempt asks again: the program may name another directory.
        var isProven = false
    }

    /// How long an operation waits for other processes, unless it has a deadline of its own.
    static let lockTimeout = Duration.seconds(10)

    init(
        at locate: @escaping @Sendable () throws(RecorderError) -> StoreLocation,
        clock: SystemClock,
        inFlight: InFlightRecords
    ) {
        self.locate = locate
        self.clock = clock
        self.inFlight = inFlight
    }

    deinit {
        reader.withLock { $0 = nil }
        writer.withLock { StoreWriter.close(&$0) }
    }

    /// `handler` is called for each damaged file that was rescued.
    func onRescue(_ handler: @escaping @Sendable (Rescue) -> Void) {
        rescueHandler.withLock { $0 = handler }
    }

    /// Where the store is.
    func location() throws(RecorderError) -> StoreLocation {
        if let known = place.withLock({ $0.location }) { return known }
        let found = try locate()
        return place.withLock { place in
            let location = place.location ?? found
            place.location = location
            return location
        }
    }

    /// The path of the database, without links. Its directory exists.
    func path() throws(RecorderError) -> String {
        do throws(RecorderError) {
            return try StoreDirectory.prepare(try location()).path
        } catch {
            forgetUnproven()
            throw error
        }
    }

    private func forgetUnproven() {
        place.withLock { if !$0.isProven { $0.location = nil } }
    }

    // MARK: - operations

    /// Runs an operation that changes the store. Blocks, for other processes until `deadline`.
    func write<T: Sendable, each Argument: Sendable>(
        before deadline: ContinuousClock.Instant = SystemTime.now + lockTimeout,
        _ operation: @Sendable (StoreWriter) -> (repeat each Argument) throws(SQLiteError) -> T,
        _ arguments: repeat each Argument
    ) throws(RecorderError) -> T {
        var recovery = Recovery(reopensMovedFile: true, deadline: deadline)
        while true {
            do throws(RecorderError) {
                return try writer.withLock { (writer) throws(RecorderError) in
                    try open(&writer, recovery: &recovery)
                        .perform(operation, arguments: repeat each arguments, before: deadline)
                }
            } catch {
                try recover(from: error, recovery: &recovery)
            }
        }
    }

    /// Runs an operation that reads the store.
    func read<T: Sendable, each Argument: Sendable>(
        _ operation: @Sendable (StoreReader) -> (repeat each Argument) throws(SQLiteError) -> T,
        _ arguments: repeat each Argument
    ) throws(RecorderError) -> T {
        var recovery = Recovery(reopensMovedFile: false, deadline: SystemTime.now + Self.lockTimeout)
        while true {
            do throws(RecorderError) {
                return try reader.withLock { (reader) throws(RecorderError) in
                    try open(&reader, recovery: &recovery).perform(operation, arguments: repeat each arguments)
                }
            } catch {
                try recover(from: error, recovery: &recovery)
            }
        }
    }

    /// The counts, read through the writing connection, which is usually open. Waits for no other process.
    func totalsOfWriter() throws(RecorderError) -> StoreTotals {
        var recovery = Recovery(reopensMovedFile: true, deadline: SystemTime.now + Self.lockTimeout)
        while true {
            do throws(RecorderError) {
                return try writer.withLock { (writer) throws(RecorderError) in
                    try open(&writer, recovery: &recovery).totals()
                }
            } catch {
                try recover(from: error, recovery: &recovery)
            }
        }
    }

    /// Makes durable what the writing connection settled. What cannot be synced is synced with what is stored next.
    func syncSettles() {
        writer.withLock { $0?.syncSettles(before: SystemTime.now + Self.lockTimeout) }
    }

    /// Whether there is a reading connection.
    var hasReader: Bool { reader.withLock { $0 != nil } }

    // MARK: - opening and closing

    private func open(_ writer: inout StoreWriter?, recovery: inout Recovery) throws(RecorderError) -> StoreWriter {
        if let writer {
            recovery.fileID = writer.fileID
            return writer
        }
        do throws(RecorderError) {
            let opened = try StoreWriter(
                at: try location(),
                clock: clock,
                inFlight: inFlight,
                before: recovery.deadline,
                fileID: &recovery.fileID
            )
            place.withLock { $0.isProven = true }
            writer = opened
            return opened
        } catch {
            forgetUnproven()
            throw error
        }
    }

    private func open(_ reader: inout StoreReader?, recovery: inout Recovery) throws(RecorderError) -> StoreReader {
        if let reader {
            recovery.fileID = reader.fileID
            return reader
        }
        // The writer creates the file and its tables. (Lock order: reader, then writer.)
        let path = try writer.withLock { (writer) throws(RecorderError) in
            try open(&writer, recovery: &recovery).path
        }
        let opened = try StoreReader(path: path, fileID: &recovery.fileID)
        reader = opened
        return opened
    }

    /// Closes both connections if the file or its log was moved, replaced or deleted.
    @discardableResult
    func closeIfMoved() -> StoreWriter.Moved {
        // After each save: it waits for no reader.
        guard writer.withLock({ $0?.hasMoved() ?? false }) else { return .no }
        return reader.withLock { reader in
            writer.withLock { writer in
                guard let open = writer, open.hasMoved() else { return .no }
                // It keeps the log from being moved into the database.
                reader = nil
                let moved = open.leave()
                // Another file's lock says nothing about this one.
                if moved != .no { writer = nil }
                return moved
            }
        }
    }

    private func close() {
        reader.withLock { $0 = nil }
        writer.withLock { StoreWriter.close(&$0) }
    }

    /// Closes both connections if there is a reader. SQLite keeps the descriptor of a closed connection while another one of
    /// the process has the file open, so closing the reader alone would free nothing.
    func closeIfReading() {
        reader.withLock { reader in
            guard reader != nil else { return }
            reader = nil
            writer.withLock { StoreWriter.close(&$0) }
        }
    }

    // MARK: - recovery

    /// What an operation has tried after an error.
    private struct Recovery {
        /// Whether the operation is repeated on the file that is now at the path, if the old one was moved.
        var reopensMovedFile: Bool
        let deadline: ContinuousClock.Instant
        /// The file that the operation used, or that could not be opened.
        var fileID: FileIdentity?
        var hasRepaired = false
        var hasReopened = false
    }

    /// Returns if the operation can be repeated, and throws the error otherwise. A file is repaired once. If the file was moved,
    /// even together with its lock, the operation is repeated once.
    private func recover(from error: RecorderError, recovery: inout Recovery) throws(RecorderError) {
        var error = error
        // What was read of a file or a log that is not at its path any more proves nothing.
        if error.isCorrupt || error.isInternal || error.isShortRead, !recovery.hasReopened {
            recovery.hasReopened = true
            writer.withLock { $0?.suspectsLog = true }
            if closeIfMoved() != .no { return }
        }
        if error.isCorrupt || error.isInternal, !recovery.hasRepaired {
            do throws(RecorderError) {
                try repair(recovery.fileID, after: error, before: recovery.deadline)
                recovery.hasRepaired = true
                return
            } catch let failure {
                error = failure
            }
        }
        // A log that could not be opened for writing, even if only for want of a descriptor, is open for reading.
        if error.isReadOnly { close() }
        guard recovery.reopensMovedFile, closeIfMoved() != .no else { throw error }
        recovery = Recovery(reopensMovedFile: false, deadline: recovery.deadline)
    }

    /// Replaces a damaged file, unless another process has done so, and corrects wrong counts of a sound one, with both connections
    /// closed and locked. Throws the error, with what explains it, if there is nothing to repair.
    private func repair(
        _ file: FileIdentity?,
        after error: RecorderError,
        before deadline: ContinuousClock.Instant
    ) throws(RecorderError) {
        let path = try path()
        if let known = lastExamination.withLock({ $0 }), known.isRecent(of: file), !error.isCorrupt {
            throw known.explain(error)
        }
        let rescue = try reader.withLock { (reader) throws(RecorderError) in
            reader = nil
            return try writer.withLock { (writer) throws(RecorderError) in
                writer = nil
                if !error.isCorrupt {
                    switch try StoreExamination(path).run(file, before: deadline) {
                    case .damaged: break
                    case .replaced: return nil as Rescue?
                    case .repaired(let sound):
                        lastExamination.withLock { $0 = sound }
                        return nil
                    case .sound(let sound):
                        lastExamination.withLock { $0 = sound }
                        throw sound.explain(error)
                    }
                }
                return try StoreRescue(path).run(file, before: deadline)
            }
        }
        if let rescue, let handler = rescueHandler.withLock({ $0 }) { handler(rescue) }
    }
}
