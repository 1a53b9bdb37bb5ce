import FoundationEssentials
import RecorderAWS
import RecorderStore

/// The reading of one stream: what earlier audits have read, and what came since.
struct StreamReading {
    /// A time whose records were not read.
    struct Period: Codable, Sendable, Hashable {
        let after: Date
        let before: Date
    }

    private let stream: StreamName
    private(set) var account: StreamAccount
    private var reader: ShardReader
    /// Where shards begin of which no record was read; nil for their oldest record.
    private let since: Date?
    /// Whether everything was read that was ever sent, before anything expired unread.
    private let isFromBeginning: Bool
    /// Whether `since` is later than the oldest record that the stream keeps.
    private let isLimited: Bool
    private let unread: [Period]
    private let retentionHours: Int?

    /// No stream keeps its records for less than this. A longer retention may have been set when records had expired already, and
    /// may have been shorter in between.
    private static let leastHours = 24

    /// Continues after what an earlier audit has read, or begins at `since`.
    init(_ calls: ShardCalls, since: Date?, after earlier: AuditCheckpoint.Stream?) async throws(ServiceFailure) {
        stream = calls.stream
        let retention = await calls.retention()
        let now = Date()
        self.since = earlier.map { $0.since } ?? since
        retentionHours = retention?.hours
        account = earlier?.account ?? StreamAccount()
        var hours = retention?.hours ?? Self.leastHours
        if let earlier { hours = min(hours, earlier.retentionHours ?? Self.leastHours) }
        let oldest = now.addingTimeInterval(-Self.hour * Double(hours))
        // Of earlier audits, the time is not known: then it is before the oldest record now.
        isLimited = self.since.map { earlier != nil || $0 >= oldest } ?? false
        let begin: Date
        if let earlier {
            isFromBeginning = earlier.isFromBeginning
            let hasExpired = earlier.readThrough < oldest
            unread = earlier.unread + (hasExpired ? [Period(after: earlier.readThrough, before: oldest)] : [])
            if hasExpired { account.noteUnread() }
            begin = max(earlier.readThrough, oldest)
        } else {
            let horizon = now.addingTimeInterval(-Self.hour * Double(Self.leastHours))
            isFromBeginning = since == nil && (retention.map { $0.created > horizon } ?? false)
            unread = []
            begin = [since, retention?.created].compactMap(\.self).reduce(oldest, max)
        }
        reader = try await ShardReader(
            calls,
            from: self.since.map { .time($0) } ?? .oldest,
            progress: earlier?.shards ?? [:],
            begin: begin
        )
    }

    private static let hour: TimeInterval = 3_600

    /// Reads everything that is new; `progress` is told how many records were read. After an error, `checkpoint` has what was
    /// read until then.
    mutating func read(_ progress: (Int) -> Void) async throws(ServiceFailure) {
        try await readOnce(progress)
        account.settle()
        reader.beginAgain()
        try await readOnce(progress)
    }

    private mutating func readOnce(_ progress: (Int) -> Void) async throws(ServiceFailure) {
        while let page = try await reader.next() {
            account.add(page)
            progress(account.records)
        }
    }

    /// What was read, for the next audit.
    var checkpoint: AuditCheckpoint.Stream {
        AuditCheckpoint.Stream(
            account,
            since: since,
            isFromBeginning: isFromBeginning,
            retentionHours: retentionHours,
            readThrough: reader.readThrough,
            unread: unread,
            shards: reader.progress
        )
    }

    /// What was read, for the report.
    var result: AuditReport.Reading {
        AuditReport.Reading(
            stream: stream,
            account: account,
            shards: reader.shardCount,
            isFromBeginning: isFromBeginning,
            isLimited: isLimited,
            unread: unread,
            retentionHours: retentionHours
        )
    }
}
