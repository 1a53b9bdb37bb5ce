import RecorderSQLite

/// A read-only connection: batches and counts are read without waiting for saves, nor saves for them.
///
/// It never checkpoints. Not Sendable: `RecordStore` keeps it behind its lock.
final class StoreReader {
    private let path: String
    /// Which file it reads.
    let place: FileIdentity?
    let connection: SQLiteConnection
    private let file: StoreIdentity
    private let streams: SQLiteStatement
    private let counts: SQLiteStatement
    private let cursor: SQLiteStatement
    private let segments: SQLiteStatement
    /// The rows of the segment last read from; batches come from the same one mostly.
    private var rows: (table: String, statement: SQLiteStatement)?

    /// Tells which file it met even if it cannot use it.
    init(path: String, _ place: inout FileIdentity?) throws(RecorderError) {
        place = FileIdentity(path)
        self.place = place
        let opened = try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
            let connection = try SQLiteConnection(path: path, access: .readOnly)
            // A batch is read once, front to back: pages of it that are kept only fill memory.
            try connection.execute("PRAGMA cache_size = -256")
            return try StoreSchema.expected { () throws(SQLiteError) in
                (
                    connection,
                    file: try StoreIdentity(of: connection),
                    streams: try connection.prepare(
                        "SELECT number, name, records, bytes FROM stream WHERE number > 0 AND records <> 0"
                    ),
                    counts: try connection.prepare(StoreTotals.query),
                    cursor: try connection.prepare("SELECT cursor FROM stream WHERE number = ?1"),
                    segments: try connection.prepare(
                        "SELECT first_sequence, first_bytes, removed FROM segment ORDER BY first_sequence"
                    )
                )
            }
        }
        self.path = path
        connection = opened.0
        file = opened.file
        streams = opened.streams
        counts = opened.counts
        cursor = opened.cursor
        segments = opened.segments
    }

    func totals() throws(RecorderError) -> StoreTotals {
        try StorageErrorMapping.naming(path) { () throws(SQLiteError) in try StoreTotals(running: counts) }
    }

    /// The streams that have records, by number.
    func streamsWithRecords() throws(RecorderError) -> [StreamSummary] {
        try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
            var found: [StreamSummary] = []
            while try streams.step() {
                let name = streams.text(at: 1)
                // Nothing else was ever stored; the name goes into requests as it stands.
                guard name.utf8.allSatisfy(StreamServiceDescription.isNameCharacter), !name.isEmpty else {
                    throw SQLiteError.damage("a stream's name is none", action: "reading streams")
                }
                found.append(
                    StreamSummary(
                        number: streams.integer(at: 0),
                        name: StreamName(unchecked: name),
                        records: try streams.count(at: 2),
                        bytes: StoreTotals.streamBytes(streams.integer(at: 3))
                    )
                )
            }
            return found
        }
    }

    /// The records of `queue` after `mark` and before `end`, as far as `planner` takes them; nil when there are none.
    func nextBatch(
        of queue: StreamSummary,
        after mark: RecordID?,
        before end: Int64,
        _ planner: BatchPlanner,
        _ service: StreamServiceDescription,
        _ buffers: RequestBuffers
    ) throws(RecorderError) -> Batch? {
        try reading { () throws(SQLiteError) in
            // As much as it will need, or a little more: a buffer that grows is copied.
            let capacity = queue.batchBytes(limit: planner.maximumBytes)
            let request = PutRequest(to: queue.name, service, capacity: capacity, from: buffers)
            var reading = BatchReading(file, planner, request)
            guard let gone = try cursor(of: queue) else { return nil }
            var first = max(gone, mark ?? gone).next
            let last = RecordID(stream: queue.number, sequence: end).previous
            for (segment, sequences) in try spans(before: end) where first.sequence < sequences.upperBound {
                let rows = try rows(of: segment)
                try rows.bind(from: first, through: last)
                defer { rows.reset() }
                guard try reading.take(rows) else { break }
                first = max(first, RecordID(stream: queue.number, sequence: sequences.upperBound))
            }
            let batch = reading.batch(of: queue.name)
            if batch == nil, mark == nil { try checkEmpty(queue, before: end) }
            return batch
        }
    }

    /// One read transaction, so that cursor, segments and rows are of one instant.
    func reading<T>(_ body: () throws(SQLiteError) -> T) throws(RecorderError) -> T {
        try StorageErrorMapping.naming(path) { () throws(SQLiteError) in try connection.reading(body) }
    }

    /// A stream with no row left must have no record counted either: damaged rows can go missing without an error.
    private func checkEmpty(_ queue: StreamSummary, before end: Int64) throws(SQLiteError) {
        let counted = try connection.integer(
            """
            SELECT records FROM stream WHERE number = \(queue.number)
                AND \(end) >= (SELECT next_sequence FROM stream WHERE number = 0)
            """
        )
        guard let counted, counted > 0 else { return }
        throw SQLiteError.damage("\(counted) counted records are not in their table", action: "reading a batch")
    }

    /// nil where the stream's row is gone, as it had no record left.
    private func cursor(of queue: StreamSummary) throws(SQLiteError) -> RecordID? {
        try cursor.bind(queue.number, at: 1)
        defer { cursor.reset() }
        return try cursor.step() ? RecordID(cursor: cursor.integer(at: 0), of: queue.number) : nil
    }

    private func spans(before end: Int64) throws(SQLiteError) -> [(segment: Segment, sequences: Range<Int64>)] {
        let all = try allSegments()
        // The newest segment may have begun, and lost records, after the flush did.
        let newest = all.last.map { $0.first + max($0.removed, 1) } ?? 0
        return try Segment.spans(all, before: max(end, newest))
    }

    func allSegments() throws(SQLiteError) -> [Segment] {
        var all: [Segment] = []
        while try segments.step() { all.append(try Segment(segments)) }
        return all
    }

    private func rows(of segment: Segment) throws(SQLiteError) -> SQLiteStatement {
        if let rows, rows.table == segment.table { return rows.statement }
        let statement = try StoreSchema.expected { () throws(SQLiteError) in
            try connection.prepare(
                """
                SELECT id, failures, sum, partition_key, data FROM \(segment.table)
                WHERE id BETWEEN ?1 AND ?2 ORDER BY id
                """
            )
        }
        rows = (segment.table, statement)
        return statement
    }
}

@available(*, unavailable)
extension StoreReader: Sendable {}

/// A batch while it is read.
private struct BatchReading {
    private var planner: BatchPlanner
    private let file: StoreIdentity
    private var request: PutRequest
    private var records: [BatchedRecord] = []

    init(_ file: StoreIdentity, _ planner: BatchPlanner, _ request: PutRequest) {
        self.file = file
        self.planner = planner
        self.request = request
        records.reserveCapacity(planner.maximumRecords)
    }

    /// Takes rows while they fit; false once one did not.
    mutating func take(_ rows: SQLiteStatement) throws(SQLiteError) -> Bool {
        while try rows.step() {
            let id = RecordID(rawValue: rows.integer(at: 0))
            let key = unsafe rows.bytes(at: 3)
            let data = unsafe rows.bytes(at: 4)
            guard planner.takes(data.count + key.count) else { return false }
            // What was altered is never sent; the rescue that this leads to keeps all the others. No sum reads as 0.
            let sum = rows.integer(at: 2)
            guard unsafe sum == RecordChecksum.of(id, key: key, data: data), sum != 0 || !rows.isNull(at: 2) else {
                throw SQLiteError.damage("a record's sum is wrong", action: "reading a batch")
            }
            let entry = unsafe request.append(data: data, partitionKey: key)
            records.append(
                BatchedRecord(
                    id: id,
                    file: file,
                    position: records.count,
                    failures: SegmentTable.failures(rows.integer(at: 1)),
                    storedBytes: Record.storedBytes(payload: data.count, key: key.count),
                    entry: entry
                )
            )
        }
        return true
    }

    mutating func batch(of stream: StreamName) -> Batch? {
        records.isEmpty ? nil : Batch(records, of: stream, request: request.finish())
    }
}
