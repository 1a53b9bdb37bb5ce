/// A record of an aggregated entry.
package struct AggregatedRecord: Sendable {
    /// A part of the entry's data.
    package let data: ArraySlice<UInt8>
    package let partitionKey: String
    package let explicitHashKey: String?
}

extension AggregatedEntry {
    /// The records in the data of a Kinesis record, in order. nil if it is not aggregated, or damaged: its checksum is wrong, its
    /// message is not well-formed, or a record lacks its data, a key that it refers to, or the key of a tag. An entry without
    /// records has none.
    ///
    /// Bytes of a key that are not valid UTF-8 are replaced, as the KCL does. Memory is proportional to the size of the data.
    package static func records(in data: [UInt8]) -> [AggregatedRecord]? {
        guard data.count > magic.count + Digest.md5Length, data.starts(with: magic) else { return nil }
        let message = data[magic.count..<(data.count - Digest.md5Length)]
        guard let checksum = Digest.md5(message), data[message.endIndex...].elementsEqual(checksum) else { return nil }
        return try? AggregatedMessage(message).records()
    }
}

/// A record lacks its data, its partition key, a key that it refers to, or the key of a tag.
private struct IncompleteRecord: Error {}

/// The message of an aggregated entry. It is read twice, because a table may follow the records that refer to it.
private struct AggregatedMessage {
    private let message: ArraySlice<UInt8>
    private var partitionKeys: [String] = []
    private var hashKeys: [String] = []

    init(_ message: ArraySlice<UInt8>) throws {
        self.message = message
        var reader = ProtobufReader(message)
        while let (field, value) = try reader.next() {
            switch (field, value) {
            case (AggregatedEntry.Field.partitionKeys, .bytes(let key)):
                partitionKeys.append(String(decoding: key, as: UTF8.self))
            case (AggregatedEntry.Field.hashKeys, .bytes(let key)):
                hashKeys.append(String(decoding: key, as: UTF8.self))
            default: break
            }
        }
    }

    func records() throws -> [AggregatedRecord] {
        var records: [AggregatedRecord] = []
        var reader = ProtobufReader(message)
        while let (field, value) = try reader.next() {
            if case (AggregatedEntry.Field.records, .bytes(let record)) = (field, value) {
                records.append(try self.record(record))
            }
        }
        return records
    }

    private func record(_ message: ArraySlice<UInt8>) throws -> AggregatedRecord {
        var reader = ProtobufReader(message)
        var partitionKey: UInt64?
        var hashKey: UInt64?
        var data: ArraySlice<UInt8>?
        // Of a field that occurs twice, the last one counts; unknown ones are skipped.
        while let (field, value) = try reader.next() {
            switch (field, value) {
            case (AggregatedEntry.Field.partitionKey, .integer(let index)): partitionKey = index
            case (AggregatedEntry.Field.hashKey, .integer(let index)): hashKey = index
            case (AggregatedEntry.Field.data, .bytes(let bytes)): data = bytes
            case (AggregatedEntry.Field.tags, .bytes(let tag)): try check(tag: tag)
            default: break
            }
        }
        guard let partitionKey, let data else { throw IncompleteRecord() }
        return AggregatedRecord(
            data: data,
            partitionKey: try key(partitionKey, in: partitionKeys),
            explicitHashKey: try hashKey.map { try key($0, in: hashKeys) }
        )
    }

    /// A tag must be well-formed and have a key.
    private func check(tag: ArraySlice<UInt8>) throws {
        var reader = ProtobufReader(tag)
        var hasKey = false
        while let (field, value) = try reader.next() {
            if case (AggregatedEntry.Field.tagKey, .bytes) = (field, value) { hasKey = true }
        }
        if !hasKey { throw IncompleteRecord() }
    }

    private func key(_ index: UInt64, in table: [String]) throws -> String {
        guard index < UInt64(table.count) else { throw IncompleteRecord() }
        return table[Int(index)]
    }
}
