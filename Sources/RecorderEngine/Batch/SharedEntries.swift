import FoundationEssentials
import RecorderAWS

/// The entries of a request that several records share: those of one partition key, or those without a key.
///
/// A consumer built on the Kinesis Client Library discards a record whose key belongs to another shard than its entry's. So
/// records with different keys never share an entry. Records that were saved without a key do: each keeps its numbered key beside
/// the hash of the entry's key, or has no other key than the entry's.
struct SharedEntries {
    private let limits: SharedEntry.Limits
    private let keylessRecords: KeylessRecords
    private let keepsOrder: Bool
    private var entries: [SharedEntry] = []
    /// The newest entry of each partition key, by key; that of records without a key has the empty one.
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

    /// Adds a record; returns the index of its entry, or nil if the batch has no room.
    mutating func append(
        key: UnsafeRawBufferPointer,
        isNumbered: Bool,
        data: UnsafeRawBufferPointer,
        failures: Int,
        planner: inout BatchPlanner
    ) -> Int? {
        // Without a key, a stream chooses any shard.
        let isAlone = isNumbered && keylessRecords == .withoutKeys
        let group = unsafe isNumbered ? UnsafeRawBufferPointer(start: nil, count: 0) : key
        if !isAlone, let index = unsafe newestEntry(of: group) {
            let ownKey = unsafe isNumbered && keylessRecords == .withNumberedKeys ? key : nil
            let growth = unsafe entries[index].append(
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
        if !isAlone { unsafe setNewest(entries.count - 1, of: group) }
        return entries.count - 1
    }

    private mutating func newestEntry(of group: UnsafeRawBufferPointer) -> Int? {
        if let latest, unsafe group.hasSameBytes(as: latest.key) { return latest.index }
        let key = unsafe Array(group)
        guard let index = newest[key] else { return nil }
        latest = (key, index)
        return index
    }

    private mutating func setNewest(_ index: Int, of group: UnsafeRawBufferPointer) {
        let key = unsafe Array(group)
        newest[key] = index
        latest = (key, index)
    }

    /// Writes the entries to a request, in the order of their first records.
    func write(to request: inout PutRequest) -> [Batch.Entry] {
        entries.map { Batch.Entry(range: $0.write(to: &request), bytes: $0.bytes, records: $0.count) }
    }
}

extension KeylessRecords {
    /// The key of an entry whose first record has this numbered key.
    func key(numbered key: UnsafeRawBufferPointer) -> [UInt8] {
        switch self {
        case .withNumberedKeys: unsafe Array(key)
        case .withRandomKeys: Array(UUID().uuidString.utf8)
        case .withoutKeys: []
        }
    }
}
