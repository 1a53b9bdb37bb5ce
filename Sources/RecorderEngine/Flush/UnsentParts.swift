/// What of a batch still waits for an answer: parts of it, each to be sent as one request. Pure.
struct UnsentParts {
    /// The next one last.
    private var parts: [Batch]

    /// Those of no batch, or of one that was sent whole.
    init(_ batch: Batch? = nil) {
        parts = batch.map { [$0] } ?? []
    }

    /// The records of all parts, oldest first.
    var records: [BatchedRecord] { parts.reversed().flatMap(\.records) }

    /// The part to send now.
    mutating func next() -> Batch? { parts.popLast() }

    /// Puts a part first.
    mutating func add(_ part: Batch) {
        parts.append(part)
    }

    /// Puts both halves of a part first.
    mutating func addHalves(of part: Batch) {
        let middle = part.records.count / 2
        parts.append(part.keeping(Array(part.records[middle...])))
        parts.append(part.keeping(Array(part.records[..<middle])))
    }

    /// Takes out the records that take so many bytes or more of a request.
    mutating func removeRecords(from bytes: Int) -> [BatchedRecord] {
        let removed = records.filter { $0.entry.count >= bytes }
        guard !removed.isEmpty else { return [] }
        parts = parts.compactMap { part in
            let rest = part.records.filter { $0.entry.count < bytes }
            return rest.isEmpty ? nil : part.keeping(rest)
        }
        return removed
    }

    /// Puts one record first, alone: the smallest, or else the batch's last.
    mutating func askAnother(smallest: Bool) {
        guard let (index, record) = smallest ? smallestRecord : lastRecord else { return }
        let part = parts[index]
        parts[index].records.removeAll { $0.id == record.id }
        if parts[index].records.isEmpty { parts.remove(at: index) }
        parts.append(part.keeping([record]))
    }

    private var lastRecord: (Int, BatchedRecord)? {
        parts.first?.records.last.map { (0, $0) }
    }

    private var smallestRecord: (Int, BatchedRecord)? {
        parts.indices.flatMap { index in parts[index].records.map { (index, $0) } }
            .min { $0.1.entry.count < $1.1.entry.count }
    }
}
