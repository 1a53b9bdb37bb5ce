import FoundationEssentials
import RecorderAWS
import RecorderEngine

/// The status of one store, as the command line prints it. Its encoding is what --json prints.
struct StatusReport: Encodable {
    struct Stream: Encodable {
        let name: String
        /// The ARN under which its records were saved; nil if that was its name.
        let arn: String?
        let records: Int
        let bytes: Int
        let oldestAgeSeconds: Int?
        let lastError: String?
        let lastErrorAgeSeconds: Int?
    }

    let service: String
    let path: String
    let records: Int
    let bytes: Int
    let saved: Int
    let delivered: Int
    let retried: Int
    let evicted: Int
    let expired: Int
    let rejected: Int
    let exhausted: Int
    let cleared: Int
    /// 0 for no limit; nil before the first save.
    let byteLimit: Int?
    let ageLimitSeconds: Int?
    let streams: [Stream]

    init(_ status: StoreStatus, of service: String, at path: String, now: Date) {
        self.service = service
        self.path = path
        let totals = status.totals
        records = totals.records
        bytes = totals.bytes
        saved = totals.saved
        delivered = totals.delivered
        retried = totals.retried
        evicted = totals.evicted
        expired = totals.expired
        rejected = totals.rejected
        exhausted = totals.exhausted
        cleared = totals.cleared
        byteLimit = status.limits?.bytes
        ageLimitSeconds = (status.limits?.age.components.seconds).map { Int($0) }
        streams = status.streams.map { Stream($0, now: now) }
    }
}

extension StatusReport.Stream {
    fileprivate init(_ stream: StreamStatus, now: Date) {
        func age(_ date: Date) -> Int { max(Formatting.whole(now.timeIntervalSince(date)), 0) }
        self.init(
            name: stream.name.name,
            arn: stream.name.arn?.text,
            records: stream.records,
            bytes: stream.bytes,
            oldestAgeSeconds: stream.oldest.map(age),
            lastError: stream.lastError?.message,
            lastErrorAgeSeconds: (stream.lastError?.date).map(age)
        )
    }
}

extension StatusReport.Stream {
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
        let head = ["STREAM", "RECORDS", "BYTES", "OLDEST"]
        let errors = streams.compactMap { stream in
            stream.lastError.map { error in
                "\(stream.title), \(Formatting.age(.seconds(stream.lastErrorAgeSeconds ?? 0))) ago: \(Visible.line(error))"
            }
        }
        return (["\(service): \(Visible.line(path))", TextTable.text([head] + rows), limits, counters] + errors)
            .joined(separator: "\n")
    }

    private var counters: String {
        let discarded = [evicted, expired, rejected, exhausted].reduce(0) { Formatting.sum($0, $1) }
        return "so far \(Formatting.count(saved)) saved, \(Formatting.count(delivered)) delivered, "
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
