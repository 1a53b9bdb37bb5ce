import RecorderSQLite

/// The blocks that a transaction fills for the newest segment: one of each stream that it saves to.
final class NewBlocks {
    private let insert: SQLiteStatement
    /// Whether there is any block from ?1 through ?2.
    private let any: SQLiteStatement
    private var blocks: [Int64: BlockBuilder] = [:]
    /// The block that was filled last. Often it is the only one.
    private var last: BlockBuilder?
    /// Streams whose stored blocks are known to be older than what follows.
    private var checked: Set<Int64> = []

    /// Blocks whose memory is kept for the next transaction.
    private static let mostIdle = 4

    init(in table: String, _ connection: SQLiteConnection) throws(SQLiteError) {
        insert = try connection.prepare(BlockBuilder.insertion(into: table))
        any = try connection.prepare("SELECT 1 FROM \(table) WHERE id BETWEEN ?1 AND ?2 LIMIT 1")
    }

    /// The block for a record of so many bytes that is saved at `time`.
    func block(of stream: Int64, for bytes: Int, at time: Int64) throws(SQLiteError) -> BlockBuilder {
        let block = block(of: stream)
        if !block.takes(bytes, at: time) { try store(block) }
        return block
    }

    private func block(of stream: Int64) -> BlockBuilder {
        if let last, last.stream == stream { return last }
        let block = blocks[stream] ?? BlockBuilder(stream: stream)
        blocks[stream] = block
        last = block
        return block
    }

    /// Stores all blocks.
    func store() throws(SQLiteError) {
        for block in blocks.values where block.count > 0 { try store(block) }
        guard blocks.count > Self.mostIdle else { return }
        blocks = [:]
        last = nil
    }

    private func store(_ block: BlockBuilder) throws(SQLiteError) {
        if !checked.contains(block.stream) {
            try any.bind(from: block.firstID, through: RecordID(lastOf: block.stream))
            defer { any.reset() }
            guard try !any.step() else {
                throw SQLiteError.damage("the next sequence is in use", action: "saving")
            }
            checked.insert(block.stream)
        }
        try block.store(with: insert)
    }
}

@available(*, unavailable)
extension NewBlocks: Sendable {}
