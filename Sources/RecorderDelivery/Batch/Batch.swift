import RecordFormats
import RecorderAWS
package import RecorderStore

/// The next records of one stream, oldest first, encoded as a request.
///
/// The request is encoded once, directly from the rows. A retry or a half of a batch is another list of records over the same
/// bytes, which are copied only when it is sent.
package struct Batch: Sendable {
    /// A part of the request that the service counts, takes or refuses as one record. Several records may share it.
    struct Entry: Sendable {
        /// Its place in the request.
        let range: Range<Int>
        /// Data and partition key, as the service counts them.
        let bytes: Int
        /// How many records are in it.
        let records: Int
        /// What decides about its shard, if it is aggregated: the hash of its partition key.
        var hashKey: UInt128?
    }

    /// The number of a request that was refused.
    enum Refusal: Hashable {
        /// Of the record alone.
        case alone(Int)
        /// Of the record and one other.
        case beside(Int)
    }

    package let stream: StreamName
    package var records: [BatchedRecord]
    /// All records that were read.
    let flight: FlightRange
    /// The number of those.
    private let countAsRead: Int
    /// Whether each record has an entry of its own, in the same order. Others may be full, and so be in the request, before older
    /// ones.
    private let isInOrder: Bool
    /// The request of all records as read.
    let requestAsRead: [UInt8]
    /// Its entries; `BatchedRecord.entry` is an index of them.
    private let entriesAsRead: [Entry]
    /// The partition keys whose order must be kept.
    let orderedKeys: Set<[UInt8]>
    /// How it is encoded.
    let format: RequestFormat
    /// The SHA-256 of that request, for its signature, once it has been computed.
    private var digestAsRead: [UInt8]?
    /// Whether `requestAsRead` has an entry, and nothing around it.
    private var isWithoutRequest = false
    /// If it is one record: the request with it that was refused.
    var refusal: Refusal?
    /// How many requests of its flush were refused before it was sent.
    var sentAfter = 0

    init(
        _ records: [BatchedRecord],
        of stream: StreamName,
        request: [UInt8],
        entries: [Entry],
        orderedKeys: Set<[UInt8]>,
        format: RequestFormat
    ) {
        self.stream = stream
        guard let first = records.first, let last = records.last else {
            preconditionFailure("A batch has a record.")
        }
        self.records = records
        flight = FlightRange(from: first, through: last)
        countAsRead = records.count
        isInOrder = entries.count == records.count && records.indices.allSatisfy { records[$0].entry == $0 }
        requestAsRead = request
        entriesAsRead = entries
        self.orderedKeys = orderedKeys
        self.format = format
    }

    /// The same batch with some of its records: all of an entry or none.
    func keeping(_ records: [BatchedRecord]) -> Batch {
        var batch = self
        batch.records = records
        return batch
    }

    /// What is sent again of it: the service has not refused these records.
    func answered(except records: [BatchedRecord]) -> Batch {
        var batch = keeping(records)
        batch.refusal = nil
        return batch
    }

    /// One of its records that shares no entry, without the memory of the others.
    func alone(_ record: BatchedRecord) -> Batch {
        let entry = entriesAsRead[record.entry]
        var record = record
        record.entry = 0
        var batch = Batch(
            [record],
            of: stream,
            request: Array(requestAsRead[entry.range]),
            entries: [Entry(range: 0..<entry.range.count, bytes: entry.bytes, records: 1, hashKey: entry.hashKey)],
            orderedKeys: orderedKeys,
            format: format
        )
        batch.isWithoutRequest = true
        return batch
    }

    /// What is left of it to be sent: nil if all of it was removed meanwhile. Records that share an entry with one that was not are
    /// sent with it, and count as delivered.
    func rest(after removed: RecordID?) -> Batch? {
        guard let removed, records.contains(where: { $0.id <= removed }) else { return self }
        let entries = Set(records.lazy.filter { $0.id > removed }.map(\.entry))
        return entries.isEmpty ? nil : keeping(records.filter { entries.contains($0.entry) })
    }

    /// Whether none of its keys whose order must be kept is in another batch.
    func mayBeSent(beside other: Batch) -> Bool { orderedKeys.isDisjoint(with: other.orderedKeys) }

    private var isWhole: Bool { records.count == countAsRead && !isWithoutRequest }

    // MARK: - entries

    /// Whether one of the entries as read has several records.
    var sharesEntries: Bool { entriesAsRead.count < countAsRead }

    /// Whether a record's entry has other records as well.
    func isShared(_ record: BatchedRecord) -> Bool { entriesAsRead[record.entry].records > 1 }

    /// The entries of its records, in the order of the request.
    private var entryIndexes: [Int] { isInOrder ? records.map(\.entry) : Set(records.map(\.entry)).sorted() }

    /// The hash keys of those, nil for an entry that is not aggregated.
    var hashKeys: [UInt128?] { entryIndexes.map { entriesAsRead[$0].hashKey } }

    /// The number of entries of its request.
    var entryCount: Int { isWhole ? entriesAsRead.count : entryIndexes.count }

    /// The size of a record's entry in the request, in bytes.
    func entryBytes(of record: BatchedRecord) -> Int { entriesAsRead[record.entry].range.count }

    /// The approximate size of its request, in bytes.
    var requestBytes: Int {
        isWhole ? requestAsRead.count : entryIndexes.reduce(0) { $0 + entriesAsRead[$1].range.count }
    }

    /// What it takes of the stream.
    var load: StreamLoad {
        guard isWhole else { return load(of: records) }
        return StreamLoad(entries: entriesAsRead.count, bytes: entriesAsRead.reduce(0) { $0 + $1.bytes })
    }

    /// What some of its records take of the stream.
    func load(of records: [BatchedRecord]) -> StreamLoad {
        guard !isInOrder else {
            return StreamLoad(entries: records.count, bytes: records.reduce(0) { $0 + entriesAsRead[$1.entry].bytes })
        }
        let entries = Set(records.map(\.entry))
        return StreamLoad(entries: entries.count, bytes: entries.reduce(0) { $0 + entriesAsRead[$1].bytes })
    }

    /// Its first entries up to a limit, at least one, and the others.
    func split(at limit: StreamLoad) -> (first: Batch, rest: Batch?) {
        var load = StreamLoad()
        for (count, index) in entryIndexes.enumerated() {
            load += StreamLoad(entries: 1, bytes: entriesAsRead[index].bytes)
            guard count > 0, load.exceeds(limit) else { continue }
            return (keeping(records.filter { $0.entry < index }), keeping(records.filter { $0.entry >= index }))
        }
        return (self, nil)
    }

    /// One outcome per record, from one per entry.
    func outcomes(ofEntries outcomes: [Outcome]) -> [Outcome] {
        guard !isInOrder else { return outcomes }
        if outcomes.areAllDelivered { return Array(repeating: .delivered, count: records.count) }
        let byEntry = Dictionary(uniqueKeysWithValues: zip(entryIndexes, outcomes))
        return records.map { byEntry[$0.entry] ?? .unproven }
    }

    // MARK: - the request

    /// Computes the digest ahead of the request: it takes most of the time of a signature.
    mutating func computeDigest() {
        digestAsRead = Digest.sha256(requestAsRead)
    }

    /// The SHA-256 of the request's body in a format, if it has been computed.
    func requestDigest(in format: RequestFormat) -> [UInt8]? { isWhole && format == self.format ? digestAsRead : nil }

    /// The body of the request that sends it, in the format in which it was read or in JSON.
    func request(to service: StreamServiceDescription, in format: RequestFormat) -> [UInt8] {
        guard !isWhole || format != self.format else { return requestAsRead }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(format == self.format ? requestAsRead.count : Base64.encodedCount(requestAsRead.count))
        var request = PutRequest(to: stream, of: service, in: format, buffer: buffer)
        for index in entryIndexes { request.append(requestAsRead[entriesAsRead[index].range], encodedIn: self.format) }
        return request.finish()
    }
}
