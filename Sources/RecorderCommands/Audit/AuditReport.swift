import FoundationEssentials
import RecordFormats
import RecorderAWS
import RecorderStore

/// What an audit found. Its encoding is what --json prints.
struct AuditReport: Encodable, Sendable {
    struct Range: Encodable, Sendable {
        let first: Int64
        let last: Int64
        /// `held`, `earlier`, `newer`, or one or several of `lost`, `discarded` and `unnamed`, as in `lost or discarded`.
        let explanation: String
    }

    struct Period: Encodable, Sendable {
        let after: String
        let before: String
    }

    /// One store's records in one stream.
    struct Source: Encodable, Sendable {
        let storeID: String
        let streamNumber: Int64
        /// The lowest and the highest ordinal that was read.
        let first: Int64?
        let last: Int64?
        /// Different records.
        let delivered: Int
        let repeated: Int
        let held: Int
        /// In neither the stream nor the store.
        let gone: Int
        /// Missing, but they may have arrived before what was read.
        let notJudged: Int
        let missing: [Range]
    }

    struct Stream: Encodable, Sendable {
        let name: String
        let arn: String?
        let shards: Int
        let records: Int
        let foreign: Int
        /// Whether everything was read that was ever sent to the stream.
        let isComplete: Bool
        /// Times whose records expired before they could be read.
        let unread: [Period]
        /// How long it keeps records; nil if it did not say.
        let retentionHours: Int?
        /// When the oldest record that was read arrived.
        let oldest: String?
        let stores: [Source]
    }

    /// A store of which something is known.
    struct Status: Encodable, Sendable {
        let path: String
        let storeID: String?
        let evicted: Int
        let expired: Int
        let rejected: Int
        let exhausted: Int
        let cleared: Int
        /// Records of these streams that were delivered under keys that do not name them.
        let unnamed: Int
        /// Records in neither the store nor a stream that was read.
        let gone: Int
        /// How many of them it neither discarded nor delivered under such keys.
        let unexplained: Int
    }

    let streams: [Stream]
    let statuses: [Status]
    /// Records that are missing for no known reason.
    let unexplained: Int
    /// Records that are missing, but may have expired before they could be read.
    let notJudged: Int
}

extension AuditReport {
    /// What was read of one stream.
    struct Reading: Sendable {
        let stream: StreamName
        let account: StreamAccount
        let shards: Int
        let isFromBeginning: Bool
        /// Whether it begins later than the oldest record of the stream, by --since.
        let isLimited: Bool
        let unread: [StreamReading.Period]
        let retentionHours: Int?

        /// Whether everything was read that was ever sent to the stream.
        var isComplete: Bool { isFromBeginning && unread.isEmpty }
    }

    fileprivate struct Entry {
        let source: StreamAccount.Source
        let records: StreamAccount.Records
        /// The index of the status that knows the source.
        let status: Int?
        let missing: MissingRecords
        /// How many records of the source's stream were delivered under keys that do not name them.
        let unnamed: Int

        /// Records that are gone, and not because of their keys.
        var rest: Int { max(missing.gone.count - unnamed, 0) }

        /// What may explain the records that are gone, for a store that discarded so many records and has so many unexplained.
        func explanation(discarded: Int, unexplained: Int) -> String {
            let reasons = [
                ("lost", rest > 0 && unexplained > 0), ("discarded", rest > 0 && discarded > 0),
                ("unnamed", unnamed > 0),
            ]
            return reasons.filter(\.1).map(\.0).joined(separator: " or ")
        }
    }

    init(_ readings: [Reading], statuses: [StatusReport]) {
        let entries = readings.map { Self.entries(of: $0, statuses) }
        let stores = statuses.enumerated().map { index, status in
            Status(status, entries.joined().filter { $0.status == index })
        }
        self.statuses = stores
        streams = zip(readings, entries).map { reading, entries in
            Stream(
                reading,
                entries.map { entry in
                    let index = entry.status
                    let explanation = index.map { index in
                        entry.explanation(
                            discarded: statuses[index].discarded,
                            unexplained: stores[index].unexplained
                        )
                    }
                    return Source(entry, gone: explanation ?? "lost")
                }
            )
        }
        unexplained =
            stores.reduce(0) { $0 + $1.unexplained }
            + entries.joined().filter { $0.status == nil }.reduce(0) { $0 + $1.missing.gone.count }
        notJudged = zip(readings, entries).filter { !$0.0.isLimited || !$0.0.unread.isEmpty }
            .reduce(0) { $1.1.reduce($0) { $0 + $1.missing.earlier.count } }
    }

    /// The sources that were read, and those of which a status says that there must be some.
    private static func entries(of reading: Reading, _ statuses: [StatusReport]) -> [Entry] {
        var sources = reading.account.sources
        for source in statuses.flatMap({ $0.sources(of: reading) }) where sources[source] == nil {
            sources[source] = StreamAccount.Records()
        }
        return sources.map { source, records in
            // A copy of a store knows what the original had numbered before.
            let ends = statuses.map { $0.end(of: source) }
            let latest = ends.max().flatMap { $0 < 0 ? nil : ends.firstIndex(of: $0) }
            let status = statuses.firstIndex { $0.numbers(source) } ?? latest
            return Entry(
                source: source,
                records: records,
                status: status,
                missing: MissingRecords(
                    of: source,
                    records,
                    status: status.map { statuses[$0] },
                    stored: OrdinalRanges(statuses.flatMap { $0.held(of: source).ranges }),
                    in: reading
                ),
                unnamed: status.map { statuses[$0].unnamed(of: source) } ?? 0
            )
        }.sorted { ($0.source.store, $0.source.stream) < ($1.source.store, $1.source.stream) }
    }
}

extension AuditReport.Source {
    fileprivate init(_ entry: AuditReport.Entry, gone explanation: String) {
        let missing = entry.missing
        let ranges: [(OrdinalRanges, String)] = [
            (missing.gone, explanation), (missing.held, "held"), (missing.earlier, "earlier"), (missing.newer, "newer"),
        ]
        self.init(
            storeID: RecordIdentity.storeID(entry.source.store),
            streamNumber: entry.source.stream,
            first: entry.records.ordinals.first,
            last: entry.records.ordinals.last,
            delivered: entry.records.delivered - entry.records.repeated,
            repeated: entry.records.repeated,
            held: missing.held.count,
            gone: missing.gone.count,
            notJudged: missing.earlier.count,
            missing: ranges.flatMap { ranges, explanation in
                ranges.ranges.map { .init(first: $0.lowerBound, last: $0.upperBound, explanation: explanation) }
            }.sorted { $0.first < $1.first }
        )
    }
}

extension AuditReport.Stream {
    fileprivate init(_ reading: AuditReport.Reading, _ stores: [AuditReport.Source]) {
        self.init(
            name: reading.stream.name,
            arn: reading.stream.arn?.text,
            shards: reading.shards,
            records: reading.account.records,
            foreign: reading.account.foreign,
            isComplete: reading.isComplete,
            unread: reading.unread.map {
                .init(after: $0.after.formatted(.iso8601), before: $0.before.formatted(.iso8601))
            },
            retentionHours: reading.retentionHours,
            oldest: reading.account.oldest?.formatted(.iso8601),
            stores: stores
        )
    }
}

extension AuditReport.Status {
    /// `entries` are those of which it knows something.
    fileprivate init(_ status: StatusReport, _ entries: [AuditReport.Entry]) {
        let streams = Dictionary(grouping: entries, by: \.source.stream).values.map { entries in
            (gone: entries.reduce(0) { $0 + $1.missing.gone.count }, unnamed: entries.map(\.unnamed).max() ?? 0)
        }
        let rest = streams.reduce(0) { $0 + max($1.gone - $1.unnamed, 0) }
        self.init(
            path: status.path,
            storeID: status.storeID,
            evicted: status.evicted,
            expired: status.expired,
            rejected: status.rejected,
            exhausted: status.exhausted,
            cleared: status.cleared,
            unnamed: streams.reduce(0) { Formatting.sum($0, $1.unnamed) },
            gone: streams.reduce(0) { $0 + $1.gone },
            unexplained: max(rest - status.discarded, 0)
        )
    }
}

// MARK: - as text

extension AuditReport {
    /// The ranges of one source that are listed.
    private static let mostRanges = 20

    /// A table for each stream, the missing ranges, what the stores say, and the result.
    var text: String {
        let earlier = streams.flatMap(\.stores).reduce(0) { $0 + $1.notJudged }
        let notJudged = earlier == 0 ? nil : "\(Formatting.records(earlier)) not judged: older than what was read."
        let judged =
            switch (unexplained, earlier) {
            case (0, 0) where streams.allSatisfy(\.isComplete): "every record is accounted for."
            case (0, _): "no record is missing since the oldest one that was read."
            default: "\(Formatting.records(unexplained)) missing, and nothing says why."
            }
        let result = [judged, notJudged].compactMap(\.self).joined(separator: " ")
        return (streams.map(text(of:)) + statuses.map(text(of:)) + [result]).joined(separator: "\n\n")
    }

    private func text(of stream: Stream) -> String {
        var title =
            "\(stream.name): \(Formatting.records(stream.records)) in \(Formatting.counted(stream.shards, "shard"))"
        if stream.foreign > 0 { title += ", \(Formatting.count(stream.foreign)) of them without an identity" }
        var lines = [title]
        if !stream.isComplete, stream.unread.isEmpty { lines.append(start(of: stream)) }
        lines += stream.unread.map { period in
            "what arrived between \(period.after) and \(period.before) expired unread: records that are missing since before "
                + "that are \"earlier\", and not judged."
        }
        guard !stream.stores.isEmpty else { return lines.joined(separator: "\n") }
        let head = ["STORE", "STREAM", "FIRST", "LAST", "DELIVERED", "REPEATED", "HELD", "GONE"]
        let rows = stream.stores.map { source in
            [source.storeID, "\(source.streamNumber)"]
                + [source.first, source.last].map { $0.map { Formatting.count(Int($0)) } ?? "-" }
                + [source.delivered, source.repeated, source.held, source.gone].map { Formatting.count($0) }
        }
        lines.append(TextTable.text([head] + rows))
        return (lines + stream.stores.flatMap(ranges(of:))).joined(separator: "\n")
    }

    private func start(of stream: Stream) -> String {
        let hours = stream.retentionHours.map { "; it keeps records for \($0) h" } ?? ""
        let oldest = stream.oldest.map { "the oldest record read arrived at \($0)" } ?? "no record was read"
        return "not from the stream's beginning: \(oldest)\(hours). Older records are not accounted for."
    }

    private func ranges(of source: Source) -> [String] {
        let listed = source.missing.prefix(Self.mostRanges).map { range in
            let ordinals = range.first == range.last ? "\(range.first)" : "\(range.first)-\(range.last)"
            return "\(source.storeID)/\(source.streamNumber) \(ordinals): \(range.explanation)"
        }
        let others = source.missing.count - listed.count
        return others > 0
            ? listed + ["and \(Formatting.counted(others, "more range")); --json lists all"] : listed
    }

    private func text(of status: Status) -> String {
        let counts = [
            ("evicted", status.evicted), ("expired", status.expired), ("rejected", status.rejected),
            ("exhausted", status.exhausted), ("cleared", status.cleared),
        ]
        let reasons = counts.filter { $0.1 > 0 }.map { "\(Formatting.count($0.1)) \($0.0)" }
        let unnamed =
            status.unnamed > 0 ? "\(Formatting.count(status.unnamed)) sent under random keys, or without keys; " : ""
        return
            "\(status.path): \(reasons.isEmpty ? "nothing discarded" : reasons.joined(separator: ", ")), in all streams; "
            + "\(unnamed)\(Formatting.records(status.gone)) gone, \(Formatting.count(status.unexplained)) of them unexplained"
    }
}
