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
