import RecordFormats
import RecorderAWS
import RecorderStore

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
