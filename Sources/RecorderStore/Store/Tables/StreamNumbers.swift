import RecorderSQLite

/// The numbers of streams and their names, and of their next records, as far as this process knows them. Belongs to the writer.
///
/// Correct until another process writes, which may remove the rows of unused streams: the writer then calls `forget`.
struct StreamNumbers {
    private var numbers: [StreamName: Int64] = [:]
    private var names: [Int64: StreamName] = [:]
    /// The stream that was used last. Often it is the next one too, and comparing one name is fastest.
    private var last: (name: StreamName, number: Int64)?
    /// The number of each stream's next record without a key.
    private var nextRecords: [Int64: Int64] = [:]

    mutating func forget() {
        self = StreamNumbers()
    }

    /// The number of a stream; a new stream gets one. Its first record has the sequence `next` or a later one.
    mutating func number(
        of stream: StreamName,
        next: Int64,
        in statements: StoreStatements
    ) throws(SQLiteError) -> Int64 {
        if let last, last.name == stream { return last.number }
        let number: Int64
        if let known = numbers[stream] {
            number = known
        } else {
            number = try statements.number(of: stream, next: next)
            remember(stream, number: number)
        }
        last = (stream, number)
        return number
    }

    /// The name of a stream; "?" if it has no row.
    mutating func name(of stream: Int64, in statements: StoreStatements) throws(SQLiteError) -> StreamName {
        if let known = names[stream] { return known }
        guard let name = try statements.name(of: stream) else { return StreamName(unchecked: "?") }
        remember(name, number: stream)
        return name
    }

    /// Takes the numbers of a stream's next records without a key, and returns the first.
    mutating func takeNumbers(
        _ count: Int,
        of stream: Int64,
        in statements: StoreStatements
    ) throws(SQLiteError) -> Int64 {
        let number: Int64
        if let known = nextRecords[stream] { number = known } else { number = try statements.numbered(of: stream) }
        nextRecords[stream] = number + Int64(count)
        return number
    }

    private mutating func remember(_ stream: StreamName, number: Int64) {
        numbers[stream] = number
        names[number] = stream
    }
}
