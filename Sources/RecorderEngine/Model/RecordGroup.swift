import FoundationEssentials

/// The payloads of many records in one buffer, such as the lines of a file.
package struct PayloadList: Sendable {
    package private(set) var bytes: [UInt8]
    /// Where each payload is in `bytes`.
    package private(set) var ranges: [Range<Int>]

    package init(bytes: [UInt8], ranges: [Range<Int>]) {
        self.bytes = bytes
        self.ranges = ranges
    }

    /// An empty list.
    package init() {
        self.init(bytes: [], ranges: [])
    }

    /// Appends a copy of a payload, with `delimiter` as its last byte, unless that is nil.
    mutating func append(_ payload: Data, endingWith delimiter: UInt8?) {
        let start = bytes.count
        bytes.append(contentsOf: payload)
        if let delimiter, payload.last != delimiter { bytes.append(delimiter) }
        ranges.append(start..<bytes.count)
    }
}

/// Records of one stream that are saved together: all of them are stored, in one commit, or none is.
struct RecordGroup: Sendable {
    let stream: StreamName
    /// The key of each.
    let partitionKey: RecordKey
    private let payloads: PayloadList
    /// What its records count for in the store, in bytes.
    let storedBytes: Int

    init(_ payloads: PayloadList, of stream: StreamName, partitionKey: RecordKey) {
        self.payloads = payloads
        self.stream = stream
        self.partitionKey = partitionKey
        storedBytes = payloads.ranges.reduce(0) { $0 + Record.storedBytes(payload: $1.count, key: partitionKey.bytes) }
    }

    var count: Int { payloads.ranges.count }

    /// Calls `body` with the bytes of each payload.
    func forEachPayload<Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try unsafe payloads.bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            for range in payloads.ranges {
                try unsafe body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
            }
        }
    }
}

/// What one save stores.
enum SavedRecords: Sendable {
    case one(Record)
    case many(RecordGroup)

    var count: Int {
        switch self {
        case .one: 1
        case .many(let group): group.count
        }
    }

    /// What it counts for in the store, in bytes.
    var storedBytes: Int {
        switch self {
        case .one(let record): record.storedBytes
        case .many(let group): group.storedBytes
        }
    }
}
