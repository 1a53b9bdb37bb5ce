import RecorderStore

/// The parts of a batch without an answer, each to be sent as one request. Pure.
struct UnsentParts {
    /// The next one last.
    private var parts: [Batch] = []

    /// The records of all parts, in the order in which they are sent.
    var records: [BatchedRecord] { parts.reversed().flatMap(\.records) }

    /// Removes the part to send now. Of one that is larger than `limit`, only so much is removed.
    mutating func next(upTo limit: StreamLoad?) -> Batch? {
        guard let part = parts.popLast() else { return nil }
        guard let limit else { return part }
        let (first, rest) = part.split(at: limit)
        if let rest { parts.append(rest) }
        return first
    }

    /// Sends a part next.
    mutating func add(_ part: Batch) {
        parts.append(part)
    }

    /// Sends both halves of a part next.
    mutating func addHalves(of part: Batch) {
        let middle = part.records.count / 2
        parts.append(part.keeping(Array(part.records[middle...])))
        parts.append(part.keeping(Array(part.records[..<middle])))
    }

    /// Sends the records of a part that have a partition key next, and then those without one.
    mutating func addRecordsWithKeys(of part: Batch) {
        parts.append(part.keeping(part.records.filter(\.omitsKey)))
        parts.append(part.keeping(part.records.filter { !$0.omitsKey }))
    }

    /// Removes the records that take at least `bytes` bytes of a request.
    mutating func removeRecords(from bytes: Int) -> [BatchedRecord] {
        let removed = parts.reversed().flatMap { part in part.records.filter { part.entryBytes(of: $0) >= bytes } }
        guard !removed.isEmpty else { return [] }
        parts = parts.compactMap { part in
            let rest = part.records.filter { part.entryBytes(of: $0) < bytes }
            return rest.isEmpty ? nil : part.keeping(rest)
        }
        return removed
    }

    /// Sends one record next, in a request of its own: the smallest one, or else the batch's last.
    mutating func addProbe(smallest: Bool) {
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
            .min { $0.1.sentBytes < $1.1.sentBytes }
    }
}

extension Batch {
    /// Whether some of its records are sent without a partition key, and others with one.
    var hasBothKinds: Bool { records.contains(where: \.omitsKey) && !records.allSatisfy(\.omitsKey) }
}
