import RecorderSQLite

extension StoreReader {
    /// What the store says about its records without a given key.
    ///
    /// Reads little: records of a segment that are not deleted yet have consecutive ordinals, so the first one is looked up. Every
    /// kept record is read, and so is every record in a segment of an older version.
    func numbering() throws(SQLiteError) -> StoreNumbering {
        let segments = try allSegments()
        let source = try connection.integer("SELECT key_source FROM stream WHERE number = 0").flatMap {
            KeySource(stored: $0)
        }
        let rows = try connection.prepare(
            "SELECT number, name, cursor, numbered, key_source, delivered FROM stream WHERE number > 0 ORDER BY number"
        )
        var streams: [StoreNumbering.Stream] = []
        while try rows.step() {
            let number = rows.integer(at: 0)
            let next = rows.integer(at: 3)
            guard NumberedKey.numbers.contains(next) else {
                throw SQLiteError.contradiction(
                    "a stream's count of numbered records is out of range",
                    action: "reading counts"
                )
            }
            var held = HeldRecords(stream: number, next: next, connection)
            try held.read(after: try RecordID(cursor: rows.integer(at: 2), of: number), in: segments)
            streams.append(
                StoreNumbering.Stream(
                    number: number,
                    name: StreamName(unchecked: rows.text(at: 1)),
                    first: source == nil ? next : min(max(rows.integer(at: 4), 0), next),
                    next: next,
                    unnamed: source == nil ? 0 : Int(min(max(rows.integer(at: 5), 0), next)),
                    held: held.ranges.mapValues { OrdinalRanges($0) }
                )
            )
        }
        return StoreNumbering(store: source?.rawValue, streams: streams)
    }
}

/// Collects the ordinals of one stream's records that are in the store.
private struct HeldRecords {
    private let stream: Int64
    /// The ordinal of the stream's next record.
    private let next: Int64
    private let connection: SQLiteConnection
    /// By `KeySource`.
    private(set) var ranges: [UInt64: [ClosedRange<Int64>]] = [:]

    init(stream: Int64, next: Int64, _ connection: SQLiteConnection) {
        self.stream = stream
        self.next = next
        self.connection = connection
    }

    mutating func read(after cursor: RecordID, in segments: [Segment]) throws(SQLiteError) {
        try readRows(of: KeptRecords.table, after: RecordID(stream: stream, sequence: 0))
        var blocks: [(source: KeySource, first: Int64)] = []
        for segment in segments {
            if let source = segment.keySource {
                guard next > 0, let first = try firstOrdinal(after: cursor, in: segment.table) else { continue }
                blocks.append((source, first))
            } else {
                try readRows(of: segment.table, after: cursor)
            }
        }
        for (block, end) in zip(blocks, blocks.dropFirst().map(\.first) + [next]) where block.first < end {
            ranges[block.source.rawValue, default: []].append(block.first...(end - 1))
        }
    }

    /// The ordinal of the first record after an id in a table of blocks; nil if there is none.
    private func firstOrdinal(after cursor: RecordID, in table: String) throws(SQLiteError) -> Int64? {
        let blocks = try connection.prepare(
            "SELECT id, span, number, head FROM \(table) WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        )
        try blocks.bind(from: cursor.next, through: RecordID(lastOf: stream))
        while try blocks.step() {
            var head = try BlockHead(of: RecordID(rawValue: blocks.integer(at: 0)), row: blocks, from: 1)
            while let entry = try head.next() {
                if entry.id > cursor, case .numbered(let ordinal) = entry.key { return ordinal }
            }
        }
        return nil
    }

    /// Adds the records of a table with a row for each.
    private mutating func readRows(of table: String, after id: RecordID) throws(SQLiteError) {
        let rows = try connection.prepare(
            """
            SELECT partition_key FROM \(table)
            WHERE id BETWEEN ?1 AND ?2 AND length(partition_key) = \(RecordKey.numberedBytes)
            """
        )
        try rows.bind(from: id.next, through: RecordID(lastOf: stream))
        while try rows.step() {
            guard let identity = RecordIdentity(partitionKey: rows.text(at: 0)), identity.stream == stream else {
                continue
            }
            ranges[identity.store, default: []].append(identity.ordinal...identity.ordinal)
        }
    }
}
