import RecorderSQLite

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
