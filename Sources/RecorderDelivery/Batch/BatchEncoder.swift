import RecordFormats
import RecorderAWS
package import RecorderStore

/// What decides how records become entries of requests.
struct BatchRules: Sendable {
    let keylessRecords: KeylessRecords
    /// Whether no key may be in two entries of a request.
    let keepsOrder: Bool
    /// The largest entry that records share, in bytes; nil if none do.
    var sharedEntryBytes: Int?

    init(_ policy: RecorderPolicy, service: StreamServiceDescription) {
        keylessRecords = policy.keylessRecords
        keepsOrder = policy.keepsOrder(of: service)
        let isPossible = !service.sendsPartitionKey || AggregatedEntry.isAvailable
        sharedEntryBytes = isPossible ? policy.sharedEntryBytes : nil
    }
}

/// Encodes a batch while its records are read.
struct BatchEncoder: RecordEncoder {
    private let stream: StreamSummary
    private let rules: BatchRules
    private var planner: BatchPlanner
    private var request: PutRequest
    private var entries: [Batch.Entry] = []
    private var sharedEntries: SharedEntries?
    private var orderedKeys: Set<[UInt8]> = []

    init(
        _ stream: StreamSummary,
        of service: StreamServiceDescription,
        planner: BatchPlanner,
        rules: BatchRules,
        request: PutRequest
    ) {
        self.stream = stream
        self.planner = planner
        self.rules = rules
        self.request = request
        sharedEntries = rules.sharedEntryBytes.map { SharedEntries(of: service, maximumBytes: $0, rules: rules) }
        if sharedEntries == nil { entries.reserveCapacity(planner.maximumRecords) }
    }

    var keylessRecords: KeylessRecords { rules.keylessRecords }

    mutating func append(
        key: UnsafeRawBufferPointer,
        isNumbered: Bool,
        data: UnsafeRawBufferPointer,
        failures: Int
    ) -> Int? {
        guard sharedEntries == nil else {
            return unsafe sharedEntries?.append(
                key: key,
                isNumbered: isNumbered,
                data: data,
                failures: failures,
                planner: &planner,
                request: &request
            )
        }
        guard isNumbered, rules.keylessRecords != .withNumberedKeys else {
            if rules.keepsOrder, !isNumbered, unsafe orderedKeys.contains(Array(key)) { return nil }
            guard unsafe append(key: key, data: data) else { return nil }
            if rules.keepsOrder, !isNumbered { unsafe orderedKeys.insert(Array(key)) }
            return entries.count - 1
        }
        let isAppended = unsafe rules.keylessRecords.key(numbered: key).withUnsafeBytes { key in
            unsafe append(key: key, data: data)
        }
        return isAppended ? entries.count - 1 : nil
    }

    /// Appends an entry of one record; false if it does not fit.
    private mutating func append(key: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) -> Bool {
        let bytes = data.count + key.count
        guard planner.takes(bytes) else { return false }
        entries.append(
            Batch.Entry(range: unsafe request.append(data: data, partitionKey: key), bytes: bytes, records: 1)
        )
        return true
    }

    mutating func finish(_ records: [BatchedRecord]) -> Batch {
        var records = records
        if let written = sharedEntries?.finish(&request) {
            entries = written.entries
            if let places = written.places {
                for index in records.indices { records[index].entry = places[records[index].entry] }
            }
            if rules.keepsOrder { orderedKeys = sharedEntries?.givenKeys ?? [] }
        }
        return Batch(
            records,
            of: stream.name,
            request: request.finish(),
            entries: entries,
            orderedKeys: orderedKeys,
            format: request.format
        )
    }
}

/// Decides where a batch ends: by the service's limits of records and bytes, and by the user's limit of bytes. A batch has at
/// least one record.
package struct BatchPlanner {
    let maximumRecords: Int
    let maximumBytes: Int

    private(set) var records = 0
    private(set) var bytes = 0

    package init(maximumRecords: Int, maximumBytes: Int) {
        self.maximumRecords = maximumRecords
        self.maximumBytes = maximumBytes
    }

    package init(_ service: StreamServiceDescription, batchByteLimit: Int) {
        self.init(
            maximumRecords: service.maximumRequestRecords,
            maximumBytes: min(batchByteLimit, service.maximumRequestBytes)
        )
    }

    /// How many bytes more fit.
    var bytesLeft: Int { max(maximumBytes - bytes, 0) }

    /// Counts bytes that were added to an entry.
    mutating func grow(by bytes: Int) {
        self.bytes += bytes
    }

    /// Whether the next entry fits; if it does, it is counted. Its size is that of payload and partition key in bytes, before
    /// base64, as the services count it.
    package mutating func takes(_ size: Int) -> Bool {
        guard records == 0 || (records < maximumRecords && bytes + size <= maximumBytes) else { return false }
        records += 1
        bytes += size
        return true
    }
}

/// Encodes the body of PutRecords or PutRecordBatch, record by record, into one buffer.
struct PutRequest {
    let format: RequestFormat
    private let sendsPartitionKey: Bool
    private var count = 0
    private var bytes: [UInt8]
    /// Where the list of records starts.
    private let start: Int

    /// An empty request in a buffer.
    init(to stream: StreamName, of service: StreamServiceDescription, in format: RequestFormat, buffer: [UInt8]) {
        self.format = format
        sendsPartitionKey = service.sendsPartitionKey
        bytes = buffer
        let (field, name) = service.member(naming: stream)
        switch format {
        // Neither a name nor an ARN needs escaping: it passed `checkStream`.
        case .json: bytes.append(contentsOf: #"{"\#(field)":"\#(name)","Records":["#.utf8)
        case .cbor:
            CBOR.appendHead(.map, 2, to: &bytes)
            CBOR.appendText(field.utf8, to: &bytes)
            CBOR.appendText(name.utf8, to: &bytes)
            CBOR.appendText("Records".utf8, to: &bytes)
            CBOR.appendArrayHead(to: &bytes)
        }
        start = bytes.count
    }

    /// Appends a record directly from a row's bytes; returns the range of its entry. An empty key is left out.
    mutating func append(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) -> Range<Int> {
        separate()
        let start = bytes.count
        switch format {
        case .json: unsafe appendJSON(data: data, partitionKey: partitionKey)
        case .cbor: unsafe appendCBOR(data: data, partitionKey: partitionKey)
        }
        return start..<bytes.count
    }

    private mutating func appendJSON(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) {
        bytes.append(#"{"Data":""#)
        unsafe Base64.append(data, to: &bytes)
        if sendsPartitionKey, unsafe !partitionKey.isEmpty {
            bytes.append(#"","PartitionKey":""#)
            unsafe JSONText.append(partitionKey, to: &bytes)
        }
        bytes.append(#""}"#)
    }

    /// The first bytes of the constants are the heads of a map of one or two pairs and of text of 4 and of 12 bytes.
    private mutating func appendCBOR(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) {
        bytes.append(unsafe partitionKey.isEmpty ? 0xA1 : 0xA2)
        bytes.append("dData")
        CBOR.appendHead(.bytes, data.count, to: &bytes)
        unsafe bytes.append(contentsOf: data)
        guard unsafe !partitionKey.isEmpty else { return }
        bytes.append("lPartitionKey")
        CBOR.appendHead(.text, partitionKey.count, to: &bytes)
        unsafe bytes.append(contentsOf: partitionKey)
    }

    /// Appends the entry of another request, which was encoded in the same format or in CBOR.
    mutating func append(_ entry: ArraySlice<UInt8>, encodedIn format: RequestFormat) {
        guard format != self.format else {
            separate()
            return bytes.append(contentsOf: entry)
        }
        guard let parts = CBOREntry(entry) else {
            preconditionFailure("an entry that this type encoded is not its own")
        }
        unsafe entry.withUnsafeBytes { buffer in
            _ = unsafe append(
                data: UnsafeRawBufferPointer(rebasing: buffer[parts.data]),
                partitionKey: UnsafeRawBufferPointer(rebasing: buffer[parts.partitionKey])
            )
        }
    }

    /// The complete body; call it last.
    mutating func finish() -> [UInt8] {
        switch format {
        case .json: bytes.append("]}")
        case .cbor: CBOR.setCount(count, ofArrayEndingAt: start, in: &bytes)
        }
        return bytes
    }

    private mutating func separate() {
        if format == .json, count > 0 { bytes.append(UInt8(ascii: ",")) }
        count += 1
    }
}

/// Where data and partition key are in an entry in CBOR, counted from its start.
private struct CBOREntry {
    let data: Range<Int>
    /// Empty if there is no key.
    let partitionKey: Range<Int>

    init?(_ entry: ArraySlice<UInt8>) {
        var reader = CBORReader(entry)
        do {
            guard try reader.beginMap() != nil else { return nil }
            _ = try reader.textString()
            let data = try reader.byteString()
            self.data = data.lowerBound - entry.startIndex..<data.upperBound - entry.startIndex
            guard !reader.isAtEnd else {
                partitionKey = 0..<0
                return
            }
            _ = try reader.textString()
            let partitionKey = try reader.textString()
            self.partitionKey = partitionKey.lowerBound - entry.startIndex..<partitionKey.upperBound - entry.startIndex
        } catch {
            return nil
        }
    }
}

extension [UInt8] {
    /// Appends constant text. An array would be looked up, retained and released for each record.
    fileprivate mutating func append(_ text: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
