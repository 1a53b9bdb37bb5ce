import RecordFormats
import RecorderAWS
import RecorderStore

/// The entries of a request that several records share: those of one partition key, or those without a key.
///
/// A consumer built on the Kinesis Client Library discards a record whose key belongs to another shard than its entry's. So
/// records with different keys never share an entry. Records that were saved without a key do: each keeps its numbered key beside
/// the hash of the entry's key, or has no other key than the entry's.
///
/// That holds if the stream places entries by their keys: see `RecordDistribution`.
struct SharedEntries {
    private let limits: SharedEntry.Limits
    private let keylessRecords: KeylessRecords
    private let keepsOrder: Bool
    /// In the order of their first records; nil once it is in the request, as no record will be added to it.
    private var entries: [SharedEntry?] = []
    /// Those in the request, in its order.
    private var written: [(index: Int, entry: Batch.Entry)] = []
    /// The newest entry of each partition key, by key; that of records without a key has the empty one. It is not written yet.
    private var newest: [[UInt8]: Int] = [:]
    /// One of them: mostly that of the next record, too.
    private var latest: (key: [UInt8], index: Int)?

    init(of service: StreamServiceDescription, maximumBytes: Int, rules: BatchRules) {
        limits = SharedEntry.Limits(
            form: service.sendsPartitionKey ? .aggregated : .joined,
            dataBytes: maximumBytes,
            recordBytes: service.commonRecordBytes
        )
        keylessRecords = rules.keylessRecords
        keepsOrder = rules.keepsOrder
    }

    /// The partition keys that its records were saved with.
    var givenKeys: Set<[UInt8]> { Set(newest.keys.lazy.filter { !$0.isEmpty }) }

    /// Adds a record; returns the number of its entry, or nil if the batch has no room.
    mutating func append(
        key: UnsafeRawBufferPointer,
        isNumbered: Bool,
        data: UnsafeRawBufferPointer,
        failures: Int,
        planner: inout BatchPlanner,
        request: inout PutRequest
    ) -> Int? {
        // Without a key, a stream chooses any shard.
        let isAlone = isNumbered && keylessRecords == .withoutKeys
        let group = unsafe isNumbered ? UnsafeRawBufferPointer(start: nil, count: 0) : key
        if !isAlone, let index = unsafe newestEntry(of: group) {
            let ownKey = unsafe isNumbered && keylessRecords == .withNumberedKeys ? key : nil
            let growth = unsafe entries[index]?.append(
                data,
                ownKey: ownKey,
                failures: failures,
                room: planner.bytesLeft,
                limits: limits
            )
            if let growth {
                planner.grow(by: growth)
                return index
            }
            if keepsOrder, unsafe !group.isEmpty { return nil }
        }
        let sentKey = unsafe isNumbered ? keylessRecords.key(numbered: key) : Array(key)
        guard planner.takes(data.count + sentKey.count) else { return nil }
        unsafe entries.append(SharedEntry(data: data, partitionKey: sentKey, failures: failures))
        let index = entries.count - 1
        if isAlone { write(index, to: &request) } else { unsafe setNewest(index, of: group, &request) }
        return index
    }

    private mutating func newestEntry(of group: UnsafeRawBufferPointer) -> Int? {
        if let latest, unsafe group.hasSameBytes(as: latest.key) { return latest.index }
        let key = unsafe Array(group)
        guard let index = newest[key] else { return nil }
        latest = (key, index)
        return index
    }

    /// Writes the entry of a key that was the newest so far: it is complete, and its bytes are in the processor's cache.
    private mutating func setNewest(_ index: Int, of group: UnsafeRawBufferPointer, _ request: inout PutRequest) {
        let key = unsafe Array(group)
        if let earlier = newest.updateValue(index, forKey: key) { write(earlier, to: &request) }
        latest = (key, index)
    }

    private mutating func write(_ index: Int, to request: inout PutRequest) {
        guard let entry = entries[index] else { return }
        entries[index] = nil
        let range = entry.write(to: &request)
        let sent = Batch.Entry(range: range, bytes: entry.bytes, records: entry.count, hashKey: entry.hashKey)
        written.append((index, sent))
    }

    /// Writes what is left to the request. Returns its entries in their order there, and the place in it of each entry by number;
    /// nil if these are the same.
    mutating func finish(_ request: inout PutRequest) -> (entries: [Batch.Entry], places: [Int]?) {
        for index in entries.indices { write(index, to: &request) }
        let order = written.map(\.index)
        guard !order.elementsEqual(order.indices) else { return (written.map(\.entry), nil) }
        var places = order
        for (place, index) in order.enumerated() { places[index] = place }
        return (written.map(\.entry), places)
    }
}

extension KeylessRecords {
    /// The key of an entry whose first record has this numbered key.
    func key(numbered key: UnsafeRawBufferPointer) -> [UInt8] {
        switch self {
        case .withNumberedKeys: unsafe Array(key)
        case .withRandomKeys: Array(SystemRandom.text().utf8)
        case .withoutKeys: []
        }
    }
}
