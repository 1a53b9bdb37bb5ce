package import FoundationEssentials

/// The payloads of many records in one buffer, such as the lines of a file.
package struct PayloadList: Sendable {
    package private(set) var bytes: [UInt8]
    /// Where each payload is in `bytes`.
    package private(set) var ranges: [Range<Int>]
    /// The partition key of each payload, nil for a payload without one. Empty if all have the key that they are saved with.
    package private(set) var keys: [String?]

    package init(bytes: [UInt8], ranges: [Range<Int>], keys: [String?] = []) {
        precondition(keys.isEmpty || keys.count == ranges.count, "a key for each payload, or none")
        self.bytes = bytes
        self.ranges = ranges
        self.keys = keys
    }

    /// An empty list.
    package init() {
        self.init(bytes: [], ranges: [])
    }

    /// Appends a copy of a payload, with `delimiter` as its last byte, unless that is nil.
    package mutating func append(_ payload: Data, endingWith delimiter: UInt8?) {
        let start = bytes.count
        bytes.append(contentsOf: payload)
        if let delimiter, payload.last != delimiter { bytes.append(delimiter) }
        ranges.append(start..<bytes.count)
    }
}

/// Records of one stream that are saved together: all of them are stored, in one commit, or none is.
package struct RecordGroup: Sendable {
    let stream: StreamName
    /// One for each record, or one for all of them.
    private let keys: [RecordKey]
    private let payloads: PayloadList
    /// What its records count for in the store, in bytes.
    let storedBytes: Int

    /// `partitionKey` is the key of each, unless the list has keys.
    package init(_ payloads: PayloadList, of stream: StreamName, partitionKey: RecordKey) {
        self.payloads = payloads
        self.stream = stream
        let hasKeys = !payloads.keys.isEmpty && partitionKey != .none
        let keys = hasKeys ? payloads.keys.map { $0.map(RecordKey.given) ?? .numbered } : [partitionKey]
        self.keys = keys
        let bytes = payloads.ranges.reduce(0) { $0 + Record.storedBytes(payload: $1.count, key: 0) }
        storedBytes = bytes + (hasKeys ? keys.reduce(0) { $0 + $1.bytes } : partitionKey.bytes * payloads.ranges.count)
    }

    package var count: Int { payloads.ranges.count }

    /// How many of its records have no key.
    var numberedCount: Int {
        keys.count == 1 ? (keys[0] == .numbered ? count : 0) : keys.count { $0 == .numbered }
    }

    /// Calls `body` with the key, the bytes of a given key and the bytes of the payload of each record.
    func forEachRecord<Failure>(
        _ body: (RecordKey, _ givenKey: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let isShared = keys.count == 1
        for index in isShared ? 0..<1 : keys.indices {
            let ranges = isShared ? payloads.ranges[...] : payloads.ranges[index...index]
            let key = keys[index]
            try unsafe key.withBytes { givenKey in
                Result { () throws(Failure) in
                    try unsafe payloads.bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
                        for range in ranges {
                            let data = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range]))
                            try unsafe body(key, givenKey, data)
                        }
                    }
                }
            }.get()
        }
    }
}

/// What one save stores.
package enum SavedRecords: Sendable {
    case one(Record)
    case many(RecordGroup)

    var count: Int {
        switch self {
        case .one: 1
        case .many(let group): group.count
        }
    }

    var stream: StreamName {
        switch self {
        case .one(let record): record.stream
        case .many(let group): group.stream
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
