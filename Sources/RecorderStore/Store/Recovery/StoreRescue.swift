import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderSQLite

/// Replaces a damaged database by a new one with every record that can still be read.
///
/// The new file is built beside the old one and replaces it in one step when it is complete and on disk. If the process dies
/// before that, the damaged file is still at its path, and the next process starts again. Where a file can have one name only,
/// the new file may be the only one for a moment: the next process then gives it its path. Counters start again too.
struct StoreRescue {
    private let path: String
    private let copy: String

    init(_ path: String) {
        self.path = path
        copy = "\(path).rescue"
    }

    /// Finishes a rescue whose process died after it had moved the damaged file away; called under the store's lock.
    func finishMove() {
        guard unsafe access(path, F_OK) != 0, errno == ENOENT else { return }
        // A log that is still there belongs to the damaged file.
        if unsafe access(copy, F_OK) == 0 { remove(path, ["-wal", "-shm"]) }
        _ = unsafe rename(copy, path)
    }

    /// Removes files whose names begin with a path.
    private func remove(_ path: String, _ suffixes: [String]) {
        for suffix in suffixes { _ = unsafe unlink("\(path)\(suffix)") }
    }

    /// Rescues the damaged file, with no connection of this process open. Returns nil if another file has replaced it.
    func run(_ damaged: FileIdentity?, before deadline: ContinuousClock.Instant) throws(RecorderError) -> Rescue? {
        let lock = StoreLock(path: "\(path).lock")
        try lock.lock(before: deadline)
        defer { lock.unlock() }
        guard let damaged, damaged == FileIdentity(path) else { return nil }
        remove(copy, ["", "-wal", "-shm"])
        var isMoving = false
        defer { if !isMoving { remove(copy, ["", "-wal", "-shm"]) } }
        try StoreDirectory.createFile(copy)
        // Unique, however soon one rescue follows another.
        let (now, number) = (SystemClock.system.now(), SystemRandom.number(in: UInt32.min ... .max))
        let movedTo = "\(path).damaged-\(Int(now.timeIntervalSince1970))-\(String(number, radix: 16))"
        // SQLite would remove its log, which may be all that is left.
        let isEmptied = FileState.isEmptied(path)
        if isEmptied, unsafe access("\(path)-wal", F_OK) == 0 { try move("\(path)-wal", to: "\(movedTo)-wal") }
        let (rescued, counted) = try copyRecords()
        // A backup may have been put there meanwhile.
        guard lock.isEffective, damaged == FileIdentity(path) else { return nil }
        let hasTwoNames = try addName(movedTo)
        isMoving = true
        // The log is empty, or belongs to a file that cannot use it. It must not stay if the process dies from here on.
        if !isEmptied { _ = unsafe rename("\(path)-wal", "\(movedTo)-wal") }
        _ = unsafe unlink("\(path)-shm")
        if !hasTwoNames { try move(path, to: movedTo) }
        try move(copy, to: path)
        return Rescue(movedTo: movedTo, rescued: rescued, lost: counted.map { max($0 - rescued, 0) })
    }

    /// Gives the damaged file a second name, so that there is always a file at the path; false if the file system has no hard
    /// links, such as FAT, or a policy forbids them, as AppArmor can.
    private func addName(_ name: String) throws(RecorderError) -> Bool {
        if unsafe link(path, name) == 0 { return true }
        let number = errno
        if [EACCES, EPERM, EOPNOTSUPP, ENOSYS].contains(number) { return false }
        throw .storage("\(path) is damaged and cannot be renamed: \(String(errorNumber: number)).", nil)
    }

    private func move(_ file: String, to name: String) throws(RecorderError) {
        guard unsafe rename(file, name) == 0 else {
            throw .storage("\(file) cannot be renamed to \(name): \(String(errorNumber: errno)).", nil)
        }
    }

    /// Fills the copy; returns how many records were read, and how many the damaged store says it had.
    private func copyRecords() throws(RecorderError) -> (rescued: Int, counted: Int?) {
        let new = try StorageErrorMapping.translating(
            path: copy,
            try SQLiteConnection(path: copy, access: .readWrite)
        )
        try StoreSchema.prepare(new, path: copy)
        let damaged = try StorageErrorMapping.translating(path: path, try DamagedStore(path))
        let rescued = try StorageErrorMapping.translating(
            path: copy,
            try new.transaction(running: try copyRecords(of: damaged, to: new))
        )
        try StorageErrorMapping.translating(path: copy, try new.checkpoint(.truncate))
        return (rescued, damaged.countedRecords)
    }

    private func copyRecords(of damaged: DamagedStore, to new: SQLiteConnection) throws(SQLiteError) -> Int {
        let records = try RescuedRecords(new)
        try damaged.readRecords(insert: records.insert)
        damaged.emptyLog()
        try records.finish(damaged.streams)
        try damaged.clock?.write(new)
        try FilePositionTable(new).restore(damaged.filePositions)
        let addImport = try new.prepare("INSERT OR IGNORE INTO imported (file) VALUES (?1)")
        for file in damaged.imported {
            try addImport.bind(file, at: 1)
            try addImport.run()
        }
        try RejectedTable(new).add(damaged.rejected)
        return records.count
    }
}

/// The new store while it is filled: all its records are kept ones, so that no segment is needed.
private final class RescuedRecords {
    private let connection: SQLiteConnection
    private let kept: KeptRecords
    /// How many records each stream has, and what they take.
    private var streams: [Int64: RecordAmount] = [:]
    private var all = RecordAmount()
    private var last: Int64 = 0

    var count: Int { all.records }

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        kept = try KeptRecords(connection)
    }

    /// Inserts a record, unless it was inserted before.
    func insert(_ row: DamagedStore.Row) throws(SQLiteError) {
        guard try kept.insert(row.record, at: row.savedAt, source: row.source, failures: row.failures) else { return }
        let amount = RecordAmount(records: 1, bytes: row.record.entry.storedBytes)
        streams[row.id.stream, default: RecordAmount()] += amount
        all += amount
        last = max(last, row.id.sequence)
    }

    /// Writes streams and totals.
    func finish(_ known: [DamagedStore.Stream]) throws(SQLiteError) {
        let add = try connection.prepare(
            "INSERT INTO stream (number, name, cursor, records, bytes) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        last = max(last, known.map(\.cursor).max() ?? 0)
        for stream in known {
            let amount = streams[stream.number] ?? RecordAmount()
            try add.bind(stream.number, at: 1)
            try add.bind(stream.name, at: 2)
            try add.bind(last, at: 3)
            try add.bind(Int64(amount.records), at: 4)
            try add.bind(Int64(amount.bytes), at: 5)
            try add.run()
        }
        try connection.execute(
            """
            UPDATE stream SET records = \(count), bytes = \(all.bytes), saved = \(count), saved_bytes = \(all.bytes),
                next_sequence = \(last + 1) WHERE number = 0
            """
        )
    }
}
