import FoundationEssentials
import RecordFormats
import RecorderAWS
import RecorderStore

/// The status of one store, as the command line prints it. Its encoding is what --json prints.
struct StatusReport: Codable, Sendable {
    struct Stream: Codable, Sendable {
        let name: String
        /// The ARN under which its records were saved; nil if that was its name.
        let arn: String?
        let records: Int
        let bytes: Int
        let oldestAgeSeconds: Int?
        let lastError: String?
        let lastErrorAgeSeconds: Int?
        /// What the keys of its records say, see `StoreNumbering`. nil if only the table is wanted.
        let number: Int64?
        let firstOrdinal: Int64?
        let nextOrdinal: Int64?
        /// How many of its records were delivered under keys that do not name them, or without keys; nil in the output of an
        /// earlier version.
        let deliveredUnnamed: Int?
        /// The ordinals of the records that are in the store, of those without a given key.
        let held: [HeldRange]?
    }

    /// The records of a stream that were numbered under an earlier identity of the store.
    struct Earlier: Codable, Sendable, Hashable {
        let storeID: String
        let streamNumber: Int64
        let firstOrdinal: Int64
        let nextOrdinal: Int64
        let deliveredUnnamed: Int
    }

    /// Records that were numbered under one identity of the store.
    struct HeldRange: Codable, Sendable, Hashable {
        let storeID: String
        let first: Int64
        let last: Int64
    }

    let service: String
    let path: String
    /// The identity in the keys of its next records; nil before the first one.
    let storeID: String?
    let records: Int
    let bytes: Int
    let saved: Int
    let delivered: Int
    /// Entries of requests in which these were delivered: what the service counts and bills as records. nil in the output of an
    /// earlier version.
    let entries: Int?
    let retried: Int
    let evicted: Int
    let expired: Int
    let rejected: Int
    let exhausted: Int
    let cleared: Int
    /// The copies of rejected records; nil if there are none.
    let rejectedCopies: Int?
    /// 0 for no limit; nil before the first save.
    let byteLimit: Int?
    let ageLimitSeconds: Int?
    let streams: [Stream]
    /// What was numbered under earlier identities, the newest last; nil if only the table is wanted.
    let earlierIdentities: [Earlier]?

    /// Reads a store; with what an audit needs, unless only the table is wanted. nil selects all streams.
    init(
        of location: StoreLocation,
        service: String,
        forTable: Bool = false,
        selection: StreamSelection? = nil
    ) throws(RecorderError) {
        let store = try StoreView(at: location)
        // First, so that a record that leaves in between is both held and counted as discarded.
        let numbering = forTable ? nil : try store.numbering()
        var status = try store.status()
        if let selection { status.streams.removeAll { !selection.contains($0.name) } }
        self.init(status, numbering, of: service, at: location.path, now: Date())
    }

    /// A status that was read already, without what an audit needs.
    init(_ status: StoreStatus, of service: String, at path: String) {
        self.init(status, nil, of: service, at: path, now: Date())
    }

    private init(_ status: StoreStatus, _ numbering: StoreNumbering?, of service: String, at path: String, now: Date) {
        self.service = service
        self.path = path
        storeID = numbering?.store.map { RecordIdentity.storeID($0) }
        let totals = status.totals
        records = totals.records
        bytes = totals.bytes
        saved = totals.saved
        delivered = totals.delivered
        entries = totals.entries
        retried = totals.retried
        evicted = totals.evicted
        expired = totals.expired
        rejected = totals.rejected
        exhausted = totals.exhausted
        cleared = totals.cleared
        rejectedCopies = status.rejectedCopies > 0 ? status.rejectedCopies : nil
        byteLimit = status.limits?.bytes
        ageLimitSeconds = (status.limits?.age.components.seconds).map { Int($0) }
        streams = status.streams.map { stream in
            Stream(stream, numbering?.streams.first { $0.name == stream.name }, now: now)
        }
        earlierIdentities = numbering?.earlier.map { earlier in
            Earlier(
                storeID: RecordIdentity.storeID(earlier.store),
                streamNumber: earlier.stream,
                firstOrdinal: earlier.ordinals.lowerBound,
                nextOrdinal: earlier.ordinals.upperBound,
                deliveredUnnamed: earlier.unnamed
            )
        }
    }
}

extension StatusReport.Stream {
    fileprivate init(_ stream: StreamStatus, _ numbering: StoreNumbering.Stream?, now: Date) {
        func age(_ date: Date) -> Int { max(Formatting.whole(now.timeIntervalSince(date)), 0) }
        self.init(
            name: stream.name.name,
            arn: stream.name.arn?.text,
            records: stream.records,
            bytes: stream.bytes,
            oldestAgeSeconds: stream.oldest.map(age),
            lastError: stream.lastError?.message,
            lastErrorAgeSeconds: (stream.lastError?.date).map(age),
            number: numbering?.number,
            firstOrdinal: numbering?.first,
            nextOrdinal: numbering?.next,
            deliveredUnnamed: numbering?.unnamed,
            held: numbering.map { Self.ranges($0.held) }
        )
    }
}

extension StatusReport.Stream {
    private static func ranges(_ held: [UInt64: OrdinalRanges]) -> [StatusReport.HeldRange] {
        held.sorted { $0.key < $1.key }.flatMap { store, ordinals in
            ordinals.ranges.map { range in
                let (first, last) = (range.lowerBound, range.upperBound)
                return StatusReport.HeldRange(storeID: RecordIdentity.storeID(store), first: first, last: last)
            }
        }
    }

    /// The name; with its account if the records were saved under an ARN, since another account may have a stream of that name.
    fileprivate var title: String {
        arn.flatMap { AWSResourceName($0) }.map { "\(name) (\($0.account))" } ?? name
    }
}

extension StatusReport {
    /// The table, the limits, the counters and the last errors.
    var text: String {
        let rows = streams.map { stream in
            [
                stream.title, Formatting.count(stream.records), ByteCount(stream.bytes).description,
                stream.oldestAgeSeconds.map { Formatting.age(.seconds($0)) } ?? "-",
            ]
        }
        let errors = streams.compactMap { stream in
            stream.lastError.map { error in
                "\(stream.title), \(Formatting.age(.seconds(stream.lastErrorAgeSeconds ?? 0))) ago: \(Visible.line(error))"
            }
        }
        let copies = rejectedCopies.map { count in
            "\(Formatting.counted(count, "rejected record is", plural: "rejected records are")) kept: `\(Program.name) rejected`"
        }
        let head = [
            "\(service): \(Visible.line(path))", TextTable.text([["STREAM", "RECORDS", "BYTES", "OLDEST"]] + rows),
        ]
        return (head + [limits, counters] + [copies].compactMap { $0 } + errors).joined(separator: "\n")
    }

    private var counters: String {
        let discarded = [evicted, expired, rejected, exhausted].reduce(0) { Formatting.sum($0, $1) }
        let inEntries = entries.flatMap { $0 < delivered ? " \(Formatting.entries($0))" : nil } ?? ""
        return "so far \(Formatting.count(saved)) saved, \(Formatting.count(delivered)) delivered\(inEntries), "
            + "\(Formatting.count(discarded)) discarded, \(Formatting.count(cleared)) cleared"
    }

    private var limits: String {
        var parts = ["\(Formatting.records(records)), \(ByteCount(bytes))"]
        if let byteLimit {
            parts[0] += byteLimit > 0 ? " of \(ByteCount(byteLimit))" : "; no size limit"
            let age = ageLimitSeconds ?? 0
            parts.append(age > 0 ? "discarded when older than \(Formatting.age(.seconds(age)))" : "no age limit")
        }
        return parts.joined(separator: "; ")
    }
}
