import RecordFormats
import RecorderSQLite

extension StoreReader {
    /// What the store says about its records without a given key.
    ///
    /// Reads little: records of a segment that are not deleted yet have consecutive ordinals, so the first one is looked up. Every
    /// kept record's head is read.
    func numbering() throws(SQLiteError) -> StoreNumbering {
        let segments = try allSegments()
        let meta = try connection.prepare("SELECT key_source, key_place = '' FROM meta")
        let last = try meta.step() ? KeySource(stored: meta.integer(at: 0)) : nil
        let source = meta.integer(at: 1) == 0 ? last : nil
        meta.reset()
        var earlier = try earlierNumbering()
        let rows = try connection.prepare(
            "SELECT number, name, cursor, numbered, numbered_before, unnamed FROM stream WHERE number > 0 ORDER BY number"
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
            let first = min(max(rows.integer(at: 4), 0), next)
            let unnamed = Int(min(max(rows.integer(at: 5), 0), next))
            if source == nil, let last, first < next {
                let ordinals = first..<next
                earlier.append(.init(store: last.rawValue, stream: number, ordinals: ordinals, unnamed: unnamed))
            }
            streams.append(
                StoreNumbering.Stream(
                    number: number,
                    name: StreamName(unchecked: rows.text(at: 1)),
                    first: source == nil ? next : first,
                    next: next,
                    unnamed: source == nil ? 0 : unnamed,
                    held: held.ranges.mapValues { OrdinalRanges($0) }
                )
            )
        }
        return StoreNumbering(store: source?.rawValue, streams: streams, earlier: earlier)
    }

    private func earlierNumbering() throws(SQLiteError) -> [StoreNumbering.Earlier] {
        let rows = try connection.prepare(
            "SELECT key_source, stream, first, next, unnamed FROM earlier_source ORDER BY id"
        )
        var earlier: [StoreNumbering.Earlier] = []
        while try rows.step() {
            let (first, next) = (rows.integer(at: 2), rows.integer(at: 3))
            guard let source = KeySource(stored: rows.integer(at: 0)), NumberedKey.numbers.contains(first),
                NumberedKey.numbers.contains(next), first < next
            else { continue }
            earlier.append(
                StoreNumbering.Earlier(
                    store: source.rawValue,
                    stream: rows.integer(at: 1),
                    ordinals: first..<next,
                    unnamed: Int(min(max(rows.integer(at: 4), 0), next))
                )
            )
        }
        return earlier
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
        try readKept()
        var blocks: [(source: KeySource, first: Int64)] = []
        for segment in segments {
            guard next > 0, let first = try firstOrdinal(after: cursor, in: segment) else { continue }
            blocks.append((segment.keySource, first))
        }
        for (block, end) in zip(blocks, blocks.dropFirst().map(\.first) + [next]) where block.first < end {
            ranges[block.source.rawValue, default: []].append(block.first...(end - 1))
        }
    }

    /// The ordinal of the first record after an id in a table of blocks; nil if there is none.
    private func firstOrdinal(after cursor: RecordID, in segment: Segment) throws(SQLiteError) -> Int64? {
        let blocks = try connection.prepare(BlockTable(segment).heads)
        try blocks.bind(from: cursor.next, through: RecordID(lastOf: stream))
        while try blocks.step() {
            var head = try BlockHead(blocks)
            while let entry = try head.next() {
                if entry.id > cursor, case .numbered(let ordinal) = entry.key { return ordinal }
            }
        }
        return nil
    }

    /// Adds the kept records.
    private mutating func readKept() throws(SQLiteError) {
        let rows = try connection.prepare(BlockTable.kept.heads)
        try rows.bind(from: RecordID(stream: stream, sequence: 0), through: RecordID(lastOf: stream))
        while try rows.step() {
            var head = try BlockHead(rows)
            guard case .numbered(let ordinal)? = try head.next()?.key,
                let source = KeySource(stored: rows.integer(at: 6))
            else { continue }
            ranges[source.rawValue, default: []].append(ordinal...ordinal)
        }
    }
}
