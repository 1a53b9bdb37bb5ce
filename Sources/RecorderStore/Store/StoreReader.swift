import RecorderSQLite

/// A read-only connection: reading batches and counts does not wait for saves, nor saves for reading.
///
/// It never checkpoints. Its operations throw `SQLiteError`, which `perform` translates. Not Sendable: `StoreConnections` keeps
/// it behind its lock.
final class StoreReader {
    private let path: String
    /// The file it reads.
    let fileID: FileIdentity?
    let connection: SQLiteConnection
    private let identity: StoreIdentity
    private let streams: SQLiteStatement
    private let counts: SQLiteStatement
    private let cursors: SQLiteStatement
    private let kept: SQLiteStatement
    private let segments: SQLiteStatement
    /// The statement for the segment that was read last; usually the next batch is in the same one.
    private var rows: (table: String, statement: SQLiteStatement)?

    /// Opens the file, which must exist. Sets `fileID` to the file it found, even if that cannot be used.
    convenience init(path: String, fileID: inout FileIdentity?) throws(RecorderError) {
        let found = FileIdentity(path)
        fileID = found
        let connection = try StorageErrorMapping.translating(
            path: path,
            try SQLiteConnection(path: path, access: .readOnly)
        )
        // A batch is read once, front to back: a large page cache would only use memory.
        try StorageErrorMapping.translating(path: path, try connection.execute("PRAGMA cache_size = -256"))
        do throws(SQLiteError) {
            try self.init(connection, path: path, fileID: found)
        } catch {
            throw StorageErrorMapping.error(error, path: path)
        }
    }

    /// Reads an open file.
    init(_ connection: SQLiteConnection, path: String, fileID: FileIdentity?) throws(SQLiteError) {
        (self.connection, self.path, self.fileID) = (connection, path, fileID)
        identity = try StoreIdentity(of: connection, file: fileID)
        streams = try connection.prepare(
            "SELECT number, name, records, bytes FROM stream WHERE number > 0 AND records <> 0"
        )
        counts = try connection.prepare(StoreTotals.query)
        cursors = try connection.prepare("SELECT cursor FROM stream WHERE number = ?1 AND name = ?2")
        kept = try connection.prepare(BlockTable.kept.blocks)
        segments = try connection.prepare(StoreSegments.query)
    }

    /// Runs one operation in a read transaction, so that everything it reads is of one instant.
    func perform<T, each Argument>(
        _ operation: (StoreReader) -> (repeat each Argument) throws(SQLiteError) -> T,
        arguments: repeat each Argument
    ) throws(RecorderError) -> T {
        try StorageErrorMapping.translating(
            path: path,
            try connection.readTransaction(running: try operation(self)(repeat each arguments))
        )
    }

    func totals() throws(SQLiteError) -> StoreTotals {
        try StoreTotals(running: counts)
    }

    func filePositions(of stream: String?, except known: Set<Int64>) throws(SQLiteError) -> FilePositions {
        try FilePositions(connection, of: stream, except: known)
    }

    /// Whether an error of any stream is stored.
    func hasErrors() throws(SQLiteError) -> Bool {
        try connection.integer("SELECT 1 FROM stream WHERE trouble <> '' LIMIT 1") == 1
    }

    /// The streams that have records, by number.
    func streamsWithRecords() throws(SQLiteError) -> [StreamSummary] {
        var found: [StreamSummary] = []
        while try streams.step() {
            // Only valid names are stored; the name goes into requests unescaped.
            guard let name = StreamName(stored: streams.text(at: 1)) else {
                throw .invalidStream
            }
            found.append(
                StreamSummary(
                    number: streams.integer(at: 0),
                    name: name,
                    records: try streams.count(at: 2),
                    bytes: StoreTotals.streamBytes(streams.integer(at: 3))
                )
            )
        }
        return found
    }

    func allSegments() throws(SQLiteError) -> [Segment] {
        var all: [Segment] = []
        while try segments.step() { all.append(try Segment(segments)) }
        return all
    }

    // MARK: - records

    /// Encodes the records of a query, as many as fit; nil if there are none.
    func read<Encoder>(_ query: RecordQuery<Encoder>) throws(SQLiteError) -> Encoder.Output? {
        let stream = query.stream
        guard let cursor = try cursor(of: stream) else { return nil }
        let last = RecordID(stream: stream.number, sequence: query.end).previous
        var batch = EncodedRecords(query.makeEncoder(), capacity: query.maximumRecords)
        if try append(keptFrom: query.position, through: min(cursor, last), to: &batch) {
            try append(after: max(cursor, query.position ?? cursor), through: last, before: query.end, to: &batch)
        }
        let output = batch.finish()
        if output == nil, query.position == nil { try checkIsEmpty(stream, before: query.end) }
        return output
    }

    /// Appends the kept records of a stream after a position; false if one did not fit.
    private func append<Encoder>(
        keptFrom position: RecordID?,
        through last: RecordID,
        to batch: inout EncodedRecords<Encoder>
    ) throws(SQLiteError) -> Bool {
        let first = position?.next ?? RecordID(stream: last.stream, sequence: 0)
        guard first <= last else { return true }
        try kept.bind(from: first, through: last)
        defer { kept.reset() }
        return try batch.append(kept, from: first, file: identity)
    }

    /// Appends records of segments.
    private func append<Encoder>(
        after position: RecordID,
        through last: RecordID,
        before end: Int64,
        to batch: inout EncodedRecords<Encoder>
    ) throws(SQLiteError) {
        var first = position.next
        for (segment, sequences) in try ranges(before: end) where first.sequence < sequences.upperBound {
            let rows = try rows(of: segment)
            try rows.bind(from: first, through: last)
            defer { rows.reset() }
            guard try batch.append(rows, from: first, file: identity) else { return }
            first = max(first, RecordID(stream: position.stream, sequence: sequences.upperBound))
        }
    }

    /// A stream without rows must have no record counted either: damaged rows can disappear without an error.
    private func checkIsEmpty(_ stream: StreamSummary, before end: Int64) throws(SQLiteError) {
        let counted = try connection.integer(
            """
            SELECT records FROM stream WHERE number = \(stream.number)
                AND \(end) >= (SELECT next_sequence FROM stream WHERE number = 0)
            """
        )
        guard let counted, counted > 0 else { return }
        throw SQLiteError.contradiction("\(counted) counted records are not in their table", action: "reading a batch")
    }

    /// nil if the stream's row was removed, because it had no record left, or if its number is another stream's: the file may
    /// have been replaced since the stream was found.
    private func cursor(of stream: StreamSummary) throws(SQLiteError) -> RecordID? {
        try cursors.bind(stream.number, at: 1)
        try cursors.bind(stream.name.rawValue, at: 2)
        defer { cursors.reset() }
        return try cursors.step() ? RecordID(cursor: cursors.integer(at: 0), of: stream.number) : nil
    }

    private func ranges(before end: Int64) throws(SQLiteError) -> [(segment: Segment, sequences: Range<Int64>)] {
        let all = try allSegments()
        // The newest segment may have begun, and lost records, after the flush began.
        let newest = all.last.map { $0.first + max($0.removed, 1) } ?? 0
        return try Segment.ranges(of: all, before: max(end, newest))
    }

    private func rows(of segment: Segment) throws(SQLiteError) -> SQLiteStatement {
        if let rows, rows.table == segment.table { return rows.statement }
        let statement = try connection.prepare(BlockTable(segment).blocks)
        rows = (segment.table, statement)
        return statement
    }
}

@available(*, unavailable)
extension StoreReader: Sendable {}
