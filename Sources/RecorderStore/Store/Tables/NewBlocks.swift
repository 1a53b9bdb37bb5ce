import RecorderSQLite

/// The blocks that a transaction fills for the newest segment: one of each stream that it saves to.
final class NewBlocks {
    private let insert: SQLiteStatement
    /// Whether there is any block from ?1 through ?2.
    private let any: SQLiteStatement
    private var blocks: [Int64: BlockBuilder] = [:]
    /// The block that was filled last, which is not one of `blocks`. Often it is the only one.
    private var last: BlockBuilder?
    /// Streams whose stored blocks are known to be older than what follows.
    private var checked: Set<Int64> = []

    /// Blocks whose memory is kept for the next transaction.
    private static let mostIdle = 4

    init(in table: String, _ connection: SQLiteConnection) throws(SQLiteError) {
        insert = try connection.prepare(BlockBuilder.insertion(into: table))
        any = try connection.prepare("SELECT 1 FROM \(table) WHERE id BETWEEN ?1 AND ?2 LIMIT 1")
    }

    /// The block of a stream, which the caller puts back.
    func take(of stream: Int64) -> BlockBuilder {
        defer { last = nil }
        if let last {
            if last.stream == stream { return last }
            blocks[last.stream] = last
        }
        return blocks.removeValue(forKey: stream) ?? BlockBuilder(stream: stream)
    }

    /// Puts back the block that was taken.
    func put(_ block: consuming BlockBuilder) {
        last = block
    }

    /// Stores all blocks.
    func store() throws(SQLiteError) {
        if let last { blocks[last.stream] = last }
        last = nil
        for stream in blocks.keys.sorted() {
            guard var block = blocks.removeValue(forKey: stream) else { continue }
            if block.count > 0 { try store(&block) }
            blocks[stream] = block
        }
        if blocks.count > Self.mostIdle { blocks = [:] }
    }

    /// Stores a block, which becomes empty.
    func store(_ block: inout BlockBuilder) throws(SQLiteError) {
        if !checked.contains(block.stream) {
            try any.bind(from: block.firstID, through: RecordID(lastOf: block.stream))
            defer { any.reset() }
            guard try !any.step() else {
                throw SQLiteError.contradiction("the next sequence is in use", action: "saving")
            }
            checked.insert(block.stream)
        }
        try block.store(with: insert)
    }
}

@available(*, unavailable)
extension NewBlocks: Sendable {}
