package import FoundationEssentials
package import RecorderAWS

extension StreamServiceDescription {
    /// Checks the shape and the size of a record before it is queued.
    ///
    /// A record without a partition key gets a numbered one, if the service has partition keys. Its last byte is `delimiter`,
    /// unless that is nil.
    package func record(
        _ payload: Data?,
        stream: String?,
        partitionKey: String?,
        maximumBytes: Int,
        countsKey: Bool = false,
        delimiter: UInt8? = nil,
        region: () -> Region? = { nil }
    ) throws(RecorderError) -> Record {
        guard let payload else {
            throw .invalidRecord(.noData, "The record has no data (nil). Pass the bytes to send.")
        }
        let (name, key) = try checkRecords(
            count: 1,
            size: { _ in payload.size(endingWith: delimiter) },
            stream: stream,
            partitionKey: partitionKey,
            maximumBytes: maximumBytes,
            countsKey: countsKey,
            region: region
        )
        return Record(stream: name, payload: payload, partitionKey: key).ending(with: delimiter)
    }

    /// Checks the shape of records with the same key, and their sizes. `region` is as for `checkStream`. (A generic collection of
    /// sizes would take as long as the rest of a followed line's save: it is not specialized in another module.)
    package func checkRecords(
        count: Int,
        size: (Int) -> PayloadSize,
        stream: String?,
        partitionKey: String?,
        maximumBytes: Int,
        countsKey: Bool,
        region: () -> Region?
    ) throws(RecorderError) -> (StreamName, RecordKey) {
        let key = sendsPartitionKey ? try checkPartitionKey(partitionKey) : .none
        let keyBytes = countsKey ? key.bytes : 0
        var largest = 0
        for index in 0..<count {
            let (bytes, sent) = size(index)
            largest = max(largest, sent)
            guard bytes + keyBytes > maximumBytes else { continue }
            let subject = count == 1 ? "The record" : "Record \(index + 1) of \(count)"
            throw .invalidRecord(
                .dataTooLarge,
                "\(subject) is \(bytes + keyBytes) bytes\(countsKey && sendsPartitionKey ? " with its partition key" : ""); "
                    + "the limit is \(maximumBytes). Split it or compress it."
            )
        }
        // An import has a limit beyond that of the service, because its records were saved before.
        if maximumBytes <= maximumRecordBytes { try checkService(largest + key.bytes) }
        return (try checkStream(stream, region: region), key)
    }

    /// Checks a record's size against what the service accepts: payload, partition key and an appended delimiter.
    private func checkService(_ bytes: Int) throws(RecorderError) {
        guard bytes > maximumRecordBytes else { return }
        let parts = sendsPartitionKey ? "its partition key" : "its delimiter"
        throw .invalidRecord(
            .dataTooLarge,
            "The record is \(bytes) bytes with \(parts); the service accepts up to \(maximumRecordBytes). "
                + "Split it or compress it."
        )
    }

    /// Checks a stream's name, or its ARN. A name has letters, digits, `_`, `.` and `-`, up to the service's length.
    ///
    /// `region` is asked for an ARN only: the region that requests go to, nil if it is not configured yet.
    package func checkStream(
        _ name: String?,
        region: () -> Region? = { nil }
    ) throws(RecorderError) -> StreamName {
        guard var name, !name.isEmpty else {
            throw .invalidRecord(.streamName, "The stream name is missing. Pass the name of the stream to send to.")
        }
        if AWSResourceName.isMeant(by: name) { return try checkARN(name, in: region()) }
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

    /// Checks a stream's ARN: its form and its name, and that requests to the region can concern it.
    private func checkARN(_ text: String, in region: Region?) throws(RecorderError) -> StreamName {
        let arn: AWSResourceName
        do throws(ConfigurationFailure) {
            arn = try AWSResourceName(stream: text, of: service)
            let own = try Region(arn.region)
            try arn.check(in: region ?? own)
        } catch {
            throw .invalidRecord(.streamName, error.message)
        }
        _ = try checkStream(arn.streamName)
        return StreamName(unchecked: text)
    }

    /// A record of another library's database; nil if its stream's name is invalid.
    @Sendable package func importedRecord(stream: String, partitionKey: String, data: Data) -> Record? {
        try? record(
            data,
            stream: stream,
            partitionKey: partitionKey.isEmpty ? nil : partitionKey,
            maximumBytes: .max
        )
    }

    /// The bytes of the key that a record saved with this key, or without one, is sent with.
    package func keyBytes(for key: String?) -> Int {
        sendsPartitionKey ? (key.map { RecordKey.given($0) } ?? .numbered).bytes : 0
    }

    /// Checks the keys of a list that has some, and each record's size with its key.
    package func checkKeys(of payloads: PayloadList) throws(RecorderError) {
        guard sendsPartitionKey else { return }
        for (range, key) in zip(payloads.ranges, payloads.keys) {
            try checkService(range.count + (try checkPartitionKey(key)).bytes)
        }
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
