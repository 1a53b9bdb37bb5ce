package import FoundationEssentials

extension StreamServiceDescription {
    /// Checks the shape and the size of a record before it is queued.
    ///
    /// A record without a partition key gets a numbered one, if the service has partition keys.
    package func record(
        _ payload: Data?,
        stream: String?,
        partitionKey: String?,
        maximumBytes: Int,
        countsKey: Bool = false
    ) throws(RecorderError) -> Record {
        guard let payload else {
            throw .invalidRecord(.noData, "The record has no data (nil). Pass the bytes to send.")
        }
        let (name, key) = try checkRecords(
            of: CollectionOfOne(payload.count),
            stream: stream,
            partitionKey: partitionKey,
            maximumBytes: maximumBytes,
            countsKey: countsKey
        )
        return Record(stream: name, payload: payload, partitionKey: key)
    }

    /// Checks the shape of records with so many bytes of payload each, and with the same key.
    func checkRecords(
        of sizes: some Collection<Int>,
        stream: String?,
        partitionKey: String?,
        maximumBytes: Int,
        countsKey: Bool
    ) throws(RecorderError) -> (StreamName, RecordKey) {
        let key = sendsPartitionKey ? try checkPartitionKey(partitionKey) : .none
        let keyBytes = countsKey ? key.bytes : 0
        for (index, bytes) in sizes.enumerated() where bytes + keyBytes > maximumBytes {
            let subject = sizes.count == 1 ? "The record" : "Record \(index + 1) of \(sizes.count)"
            throw .invalidRecord(
                .dataTooLarge,
                "\(subject) is \(bytes + keyBytes) bytes\(countsKey && sendsPartitionKey ? " with its partition key" : ""); "
                    + "the limit is \(maximumBytes). Split it or compress it."
            )
        }
        return (try checkStream(stream), key)
    }

    /// Checks a stream's name: letters, digits, `_`, `.` and `-`, up to the service's length.
    package func checkStream(_ name: String?) throws(RecorderError) -> StreamName {
        guard var name, !name.isEmpty else {
            throw .invalidRecord(.streamName, "The stream name is missing. Pass the name of the stream to send to.")
        }
        guard name.utf8.count <= maximumStreamNameLength else {
            throw .invalidRecord(
                .streamName,
                "The stream name is \(name.count) characters long; the limit is \(maximumStreamNameLength)."
            )
        }
        guard name.withUTF8({ unsafe $0.allSatisfy(StreamName.isNameCharacter) }) else {
            throw .invalidRecord(
                .streamName,
                "The stream name \(String(reflecting: name)) may only hold letters, digits, '_', '.' and '-'."
            )
        }
        return StreamName(unchecked: name)
    }

    /// A record of another library's database; nil if its stream's name is invalid.
    @Sendable func importedRecord(stream: String, partitionKey: String, data: Data) -> Record? {
        try? record(
            data,
            stream: stream,
            partitionKey: partitionKey.isEmpty ? nil : partitionKey,
            maximumBytes: .max
        )
    }

    private func checkPartitionKey(_ key: String?) throws(RecorderError) -> RecordKey {
        guard let key else { return .numbered }
        // The service counts Unicode code points, not bytes or grapheme clusters.
        let length = key.unicodeScalars.count
        guard (1...256).contains(length) else {
            throw .invalidRecord(.partitionKey, "The partition key is \(length) characters long; it must be 1 to 256.")
        }
        return .given(key)
    }
}
