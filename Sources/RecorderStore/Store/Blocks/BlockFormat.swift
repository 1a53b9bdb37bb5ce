import RecorderSQLite

/// The list of a block's records: for each its sequence, its key's kind, its sizes and its checksum.
///
/// A block is one row with consecutive records of one stream: `id` is the `RecordID` of the last one, `span` how far the first
/// sequence is before it, `number` the first record's number for its `NumberedKey`, `head` this list, and `data` the keys and
/// data of all records without gaps. An entry of the list: the distance of its sequence from the one before, a code of its key
/// (0 none, 1 numbered, 2 + n given, of n bytes), the bytes of its data, each as LEB128; the checksum, four bytes. Valid until
/// the row's next step; every access is checked against the row's bounds.
@safe struct BlockHead {
    struct Entry {
        var id: RecordID
        var key: Key
        var dataBytes: Int
        var checksum: UInt32

        /// What the record counts for in the store, in bytes.
        var storedBytes: Int { Record.storedBytes(payload: dataBytes, key: key.bytes) }
        /// What it takes in the block's data.
        var bytesInBlock: Int { dataBytes + key.bytesInBlock }
    }

    enum Key {
        case none
        case numbered(Int64)
        case given(bytes: Int)

        /// The length of the key.
        var bytes: Int {
            switch self {
            case .none: 0
            case .numbered: RecordKey.numberedBytes
            case .given(let bytes): bytes
            }
        }

        var isNumbered: Bool {
            if case .numbered = self { true } else { false }
        }

        var bytesInBlock: Int {
            if case .given(let bytes) = self { bytes } else { 0 }
        }
    }

    private let bytes: UnsafeRawBufferPointer
    private let last: RecordID
    private var offset = 0
    private var sequence: Int64
    private var number: Int64

    /// Reads a row of `BlockTable.heads`.
    init(_ row: SQLiteStatement) throws(SQLiteError) {
        last = RecordID(rawValue: row.integer(at: 0))
        let span = row.integer(at: 2)
        number = row.integer(at: 3)
        unsafe bytes = row.bytes(at: 4)
        guard RecordID.streams.contains(last.stream), (0...last.sequence).contains(span),
            NumberedKey.numbers.contains(number)
        else { throw .damagedBlock }
        sequence = last.sequence - span
    }

    var stream: Int64 { last.stream }

    /// The next record; nil at the end.
    mutating func next() throws(SQLiteError) -> Entry? {
        guard unsafe offset < bytes.count else {
            guard offset > 0, sequence == last.sequence else { throw .damagedBlock }
            return nil
        }
        let distance = Int64(try integer())
        let code = try integer()
        let dataBytes = try integer()
        guard unsafe offset + 4 <= bytes.count, distance <= last.sequence - sequence else { throw .damagedBlock }
        sequence += distance
        let checksum = UInt32(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        offset += 4
        defer { if code == 1 { number += 1 } }
        return Entry(
            id: RecordID(stream: last.stream, sequence: sequence),
            key: code == 0 ? .none : code == 1 ? .numbered(number) : .given(bytes: code - 2),
            dataBytes: dataBytes,
            checksum: checksum
        )
    }

    private mutating func integer() throws(SQLiteError) -> Int {
        var value = 0
        var shift = 0
        while unsafe offset < bytes.count, shift < 42 {
            let byte = unsafe Int(bytes[offset])
            offset += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .damagedBlock
    }
}

extension BlockHead.Entry {
    /// The most bytes that it takes: three integers and the checksum.
    private static let mostBytes = 3 * 10 + 4

    /// Appends the entry to a list; `distance` is that of its sequence from the one before.
    func append(to head: inout [UInt8], distance: Int64) {
        head.append(addingCapacity: Self.mostBytes) { span in
            span.append(integer: Int(distance))
            switch key {
            case .none: span.append(0)
            case .numbered: span.append(1)
            case .given(let bytes): span.append(integer: bytes + 2)
            }
            span.append(integer: dataBytes)
            for shift in stride(from: 0 as UInt32, to: 32, by: 8) {
                span.append(UInt8(truncatingIfNeeded: checksum >> shift))
            }
        }
    }
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(integer: Int) {
        var left = integer
        while left >= 0x80 {
            append(UInt8(truncatingIfNeeded: left) | 0x80)
            left >>= 7
        }
        append(UInt8(left))
    }
}

extension SQLiteError {
    static let damagedBlock = SQLiteError.damage("a block's list of records is wrong", action: "reading a block")
}

/// A block while it is filled: consecutive records of one stream, saved in one commit.
///
/// One row for many records costs a fraction of a row for each. Measured with commits of 500 at 1 KB and 200 B, blocks of 64 KiB
/// take 0.6 and 0.5 times the processor time to store, and 0.4 and 0.2 times to read; larger ones gain nothing more.
struct BlockBuilder {
    /// A block is closed when another record would exceed these; a larger record has a block of its own.
    private static let mostRecords = 500
    private static let mostBytes = 64 * 1_024

    let stream: Int64
    private(set) var count = 0
    /// The store's time of its records, in ms.
    private var time: Int64 = 0
    private var first: Int64 = 0
    private var last: Int64 = 0
    /// The number of its first record with a numbered key.
    private var number: Int64?
    private var head: [UInt8] = []
    private var data: [UInt8] = []

    init(stream: Int64) {
        self.stream = stream
    }

    var firstID: RecordID { RecordID(stream: stream, sequence: first) }

    /// Whether a record of so many bytes, saved at `time`, belongs in this block.
    func takes(_ bytes: Int, at time: Int64) -> Bool {
        count == 0 || (count < Self.mostRecords && data.count + bytes <= Self.mostBytes && self.time == time)
    }

    /// Adds a record that was saved at `time`.
    mutating func append(
        sequence: Int64,
        at time: Int64,
        key: BlockHead.Key,
        givenKey: UnsafeRawBufferPointer,
        data bytes: UnsafeRawBufferPointer
    ) {
        if count == 0 { (first, last, self.time) = (sequence, sequence, time) }
        if case .numbered(let number) = key, self.number == nil { self.number = number }
        let id = RecordID(stream: stream, sequence: sequence)
        let entry = BlockHead.Entry(
            id: id,
            key: key,
            dataBytes: bytes.count,
            checksum: unsafe RecordChecksum.of(id, key: key, givenKey: givenKey, data: bytes)
        )
        entry.append(to: &head, distance: sequence - last)
        if unsafe !givenKey.isEmpty { unsafe data.append(contentsOf: givenKey) }
        unsafe data.append(contentsOf: bytes)
        last = sequence
        count += 1
    }

    /// The statement that stores a block in a table.
    static func insertion(into table: String) -> String {
        "INSERT INTO \(table) (id, saved_at, span, number, head, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    }

    /// Stores the block with a statement of `insertion`, and becomes empty.
    mutating func store(with insert: SQLiteStatement) throws(SQLiteError) {
        defer { clear() }
        try insert.bind(RecordID(stream: stream, sequence: last).rawValue, at: 1)
        try insert.bind(time, at: 2)
        try insert.bind(last - first, at: 3)
        try insert.bind(number ?? 0, at: 4)
        try insert.run(binding: head, data, at: 5)
    }

    /// Forgets its records, and keeps the memory.
    mutating func clear() {
        count = 0
        number = nil
        head.removeAll(keepingCapacity: true)
        data.removeAll(keepingCapacity: true)
    }
}

/// The records of a block, in order, with their bytes. Valid until the row's next step.
@safe struct BlockRecords: ~Copyable {
    /// A record whose bytes are valid until the row's next step.
    @safe struct Element {
        let entry: BlockHead.Entry
        /// Empty if the key is numbered.
        let givenKey: UnsafeRawBufferPointer
        let data: UnsafeRawBufferPointer

        /// Whether its bytes are those that were saved.
        var isUnaltered: Bool {
            unsafe entry.checksum == RecordChecksum.of(entry.id, key: entry.key, givenKey: givenKey, data: data)
        }
    }

    private var head: BlockHead
    private let data: UnsafeRawBufferPointer
    private var offset = 0
    private var keys: NumberedKey

    /// How often its record failed, if it is a kept one.
    let failures: Int
    /// A larger count is corruption and reads as 0; the checksum does not cover this column.
    static let mostFailures: Int64 = 1 << 24
    let source: KeySource

    /// Reads a row of `BlockTable.blocks`.
    init(_ row: SQLiteStatement) throws(SQLiteError) {
        guard let source = KeySource(stored: row.integer(at: 6)) else { throw .damagedBlock }
        head = try BlockHead(row)
        let failures = row.integer(at: 5)
        self.failures = (0...Self.mostFailures).contains(failures) ? Int(failures) : 0
        self.source = source
        unsafe data = row.bytes(at: 7)
        keys = NumberedKey(source: source, stream: head.stream)
    }

    /// The next record; nil at the end.
    mutating func next() throws(SQLiteError) -> Element? {
        guard let entry = try head.next() else { return nil }
        let start = offset
        let dataStart = start + entry.key.bytesInBlock
        offset += entry.bytesInBlock
        guard unsafe offset <= data.count else { throw .damagedBlock }
        return unsafe Element(
            entry: entry,
            givenKey: UnsafeRawBufferPointer(rebasing: data[start..<dataStart]),
            data: UnsafeRawBufferPointer(rebasing: data[dataStart..<offset])
        )
    }

    /// Calls `body` with the key that the record is sent with.
    mutating func withKey<Result>(
        of element: Element,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard case .numbered(let number) = element.entry.key else { return unsafe body(element.givenKey) }
        return unsafe keys.withBytes(of: number) { unsafe body($0) }
    }
}
