package import Foundation

extension StreamServiceDescription {
    /// Checks the shape and the limits of one record before it takes its place in the line.
    ///
    /// Without a partition key it gets a random one, where the service shards by key.
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
        let key = sendsPartitionKey ? try checkPartitionKey(partitionKey) : ""
        let size = payload.count + (countsKey ? key.utf8.count : 0)
        guard size <= maximumBytes else {
            throw .invalidRecord(
                .dataTooLarge,
                "The record is \(size) bytes\(countsKey && sendsPartitionKey ? " with its partition key" : ""); "
                    + "the limit is \(maximumBytes). Split it or compress it."
            )
        }
        return Record(stream: try checkStream(stream), payload: payload, partitionKey: key)
    }

    /// Stream names are letters, digits, `_`, `.` and `-`.
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
        guard name.withUTF8({ unsafe $0.allSatisfy(Self.isNameCharacter) }) else {
            throw .invalidRecord(
                .streamName,
                "The stream name \(String(reflecting: name)) may only hold letters, digits, '_', '.' and '-'."
            )
        }
        return StreamName(unchecked: name)
    }

    private func checkPartitionKey(_ key: String?) throws(RecorderError) -> String {
        guard let key else { return PartitionKey.random() }
        // The service counts Unicode code points, not bytes or grapheme clusters.
        let length = key.unicodeScalars.count
        guard (1...256).contains(length) else {
            throw .invalidRecord(.partitionKey, "The partition key is \(length) characters long; it must be 1 to 256.")
        }
        return key
    }

    static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
