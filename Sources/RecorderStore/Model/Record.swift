package import FoundationEssentials
import RecordFormats
package import RecorderAWS

/// One record as it is saved: its stream, its payload and its partition key.
package struct Record: Sendable {
    package let stream: StreamName
    package let payload: Data
    /// Chooses the shard.
    package let partitionKey: RecordKey

    package init(stream: StreamName, payload: Data, partitionKey: RecordKey) {
        self.stream = stream
        self.payload = payload
        self.partitionKey = partitionKey
    }

    /// The record with `delimiter` as its last byte; unchanged if it already ends with it, or if that is nil.
    func ending(with delimiter: UInt8?) -> Record {
        guard let delimiter, payload.last != delimiter else { return self }
        return Record(stream: stream, payload: payload + [delimiter], partitionKey: partitionKey)
    }

    /// What the record counts for in `diskBytesUsed` and the limits: payload, partition key and a fixed overhead, in bytes.
    package var storedBytes: Int { Self.storedBytes(payload: payload.count, key: partitionKey.bytes) }

    package static func storedBytes(payload: Int, key: Int) -> Int { payload + key + overhead }

    /// The bytes of a record that is stored alone besides its own (headers, row id, time, unused space of its page), rounded up,
    /// so that many tiny records count for what they may take on disk.
    package static let overhead = 64

    /// Calls `body` with the bytes of a given key and of the payload, which are valid during the call.
    func withBytes<Result>(
        _ body: (_ givenKey: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        unsafe partitionKey.withBytes { key in
            unsafe payload.withUnsafeBytes { data in unsafe body(key, data) }
        }
    }
}

/// The bytes of a payload, as it is given, and as it is sent with a delimiter.
package typealias PayloadSize = (given: Int, sent: Int)

extension Data {
    /// Its size, with `delimiter` as its last byte when it is sent.
    package func size(endingWith delimiter: UInt8?) -> PayloadSize {
        (count, count + (delimiter != nil && last != delimiter ? 1 : 0))
    }
}

/// The partition key of a record.
package enum RecordKey: Sendable, Hashable {
    /// The service has no keys (Firehose).
    case none
    /// The record was saved without a key. It is sent with one that is made of its number.
    case numbered
    case given(String)

    /// The length of a numbered key, a UUID.
    static let numberedBytes = RecordIdentity.keyBytes

    /// Calls `body` with the bytes of a given key; with none of another one.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard case .given(var key) = self else { return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return key.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
    }

    /// The length of the key it is sent with, in bytes.
    package var bytes: Int {
        switch self {
        case .none: 0
        case .numbered: Self.numberedBytes
        case .given(let key): key.utf8.count
        }
    }
}

/// The name or the ARN of a stream or delivery stream. Its characters need no escaping in a request; see
/// `StreamServiceDescription.checkStream`.
///
/// The text identifies the stream in the store: a name and an ARN of the same stream are two streams here, each with its own
/// order. Logs and messages show the name.
package struct StreamName: Sendable, Hashable, CustomStringConvertible {
    /// The name or the ARN, as it was given.
    package let rawValue: String

    package init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }

    /// nil if no save could have stored this text.
    init?(stored rawValue: String) {
        let isARN = AWSResourceName.isMeant(by: rawValue)
        let isValid = rawValue.utf8.allSatisfy { byte in
            Self.isNameCharacter(byte) || isARN && (byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/"))
        }
        guard isValid, !rawValue.isEmpty else { return nil }
        self.rawValue = rawValue
    }

    /// The ARN; nil if a name was given.
    package var arn: AWSResourceName? { AWSResourceName.isMeant(by: rawValue) ? AWSResourceName(rawValue) : nil }

    /// The name alone.
    package var name: String { arn?.streamName ?? rawValue }

    package var description: String { name }

    /// Whether a name may contain this byte: letters, digits, `_`, `.` and `-`.
    static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Identifies a stored record: the number of its stream, and its sequence among all records of the store.
///
/// The stream is in the high bits, so that a stream's records are one range of the table's primary key, oldest first, without
/// a second index. Sequences come from one counter for the whole store and are never reused.
package struct RecordID: Sendable, Hashable, Comparable {
    package let rawValue: Int64

    private static let sequenceBits: Int64 = 40
    /// The numbers a stream may have.
    static let streams = RecordIdentity.streams
    /// The sequences a record may have; 0 is before the first one.
    static let sequences: ClosedRange<Int64> = 0...(1 << sequenceBits - 1)

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package init(stream: Int64, sequence: Int64) {
        rawValue = stream << Self.sequenceBits | sequence
    }

    /// The largest id of a stream.
    package init(lastOf stream: Int64) {
        self.init(stream: stream, sequence: Self.sequences.upperBound)
    }

    package var next: RecordID { RecordID(rawValue: rawValue + 1) }
    package var previous: RecordID { RecordID(rawValue: rawValue - 1) }

    package var stream: Int64 { rawValue >> Self.sequenceBits }
    package var sequence: Int64 { rawValue & (1 << Self.sequenceBits - 1) }

    package static func < (a: RecordID, b: RecordID) -> Bool { a.rawValue < b.rawValue }
}
