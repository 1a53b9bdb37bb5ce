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

    /// Reads a row whose columns from `column` on are span, number, head, data.
    init(of last: RecordID, source: KeySource, row: SQLiteStatement, from column: Int32) throws(SQLiteError) {
        head = try BlockHead(of: last, row: row, from: column)
        unsafe data = row.bytes(at: column + 3)
        keys = NumberedKey(source: source, stream: last.stream)
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
