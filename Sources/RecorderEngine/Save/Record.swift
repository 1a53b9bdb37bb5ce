package import Foundation

/// One record as it is saved: where it goes and what it says.
package struct Record: Sendable {
    package let stream: StreamName
    package let payload: Data
    /// What the service shards by; empty where it does not (Firehose).
    package let partitionKey: String

    package init(stream: StreamName, payload: Data, partitionKey: String) {
        self.stream = stream
        self.payload = payload
        self.partitionKey = partitionKey
    }

    /// The record with a last byte of the user's choice, unless it has it.
    func ending(with delimiter: UInt8?) -> Record {
        guard let delimiter, payload.last != delimiter else { return self }
        return Record(stream: stream, payload: payload + [delimiter], partitionKey: partitionKey)
    }

    /// What the record counts for in `diskBytesUsed` and the limits: payload, partition key and a fixed overhead.
    package var storedBytes: Int { Self.storedBytes(payload: payload.count, key: partitionKey.utf8.count) }

    /// Calls `body` with the bytes of key and payload, which last as long as the call.
    func withBytes<Result>(_ body: (_ key: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) -> Result) -> Result
    {
        var key = partitionKey
        return key.withUTF8 { key in
            unsafe payload.withUnsafeBytes { data in unsafe body(UnsafeRawBufferPointer(key), data) }
        }
    }

    /// SQLite's own bytes for a row (headers, row id, time, page slack), rounded up to a round number so that
    /// the limits count many tiny records for what they really take.
    package static let overhead = 64

    package static func storedBytes(payload: Int, key: Int) -> Int { payload + key + overhead }
}

/// The name of a stream or delivery stream that has passed `StreamServiceDescription.checkStream`.
package struct StreamName: Sendable, Hashable, CustomStringConvertible {
    package let rawValue: String

    package init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { rawValue }
}

/// Where a record stands: the number of its stream, and its place in the line of all records.
///
/// The stream is in the high bits, so that the records of one stream are one range of the table's own key, oldest first,
/// and need no second index. Sequences come from one counter for the whole store and are never used twice.
package struct RecordID: Sendable, Hashable, Comparable {
    package let rawValue: Int64

    private static let sequenceBits: Int64 = 40
    /// The numbers a stream may have.
    static let streams: ClosedRange<Int64> = 1...(1 << 22)
    /// The sequences a record may have; 0 is before the first one.
    static let sequences: ClosedRange<Int64> = 0...(1 << sequenceBits - 1)

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package init(stream: Int64, sequence: Int64) {
        rawValue = stream << Self.sequenceBits | sequence
    }

    var next: RecordID { RecordID(rawValue: rawValue + 1) }
    var previous: RecordID { RecordID(rawValue: rawValue - 1) }

    package var stream: Int64 { rawValue >> Self.sequenceBits }
    package var sequence: Int64 { rawValue & (1 << Self.sequenceBits - 1) }

    package static func < (a: RecordID, b: RecordID) -> Bool { a.rawValue < b.rawValue }
}
