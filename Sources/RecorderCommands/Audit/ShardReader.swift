import FoundationEssentials
import RecorderAWS

/// Reads all shards of a stream up to the records that are newest when it gets there.
///
/// The shard that is furthest behind is read next. So records come roughly in the order of their arrival, and the records of a
/// store, which are spread over the shards, have few gaps at any time: memory stays small. Children of a shard that was split or
/// merged come after it, as their records arrived later.
struct ShardReader {
    /// What is known of a shard that was read, for the next audit.
    struct Progress: Codable, Sendable, Hashable {
        /// The sequence number of the last record; nil if there was none.
        var last: String?
        /// Whether the shard is closed and was read to its end.
        var isClosed = false
        /// Everything that arrived until then was read.
        var readThrough: Date
    }

    private struct Shard {
        let name: String
        var start: ShardCalls.Position
        var progress: Progress
        var iterator: String?
        /// When the records that were read last arrived; the distant past at first.
        var position = Date.distantPast
        /// How many answers it gave: of shards that are equally far, the one with the fewest is next.
        var pages = 0
        var isRead = false
        /// When it was asked last.
        var asked: ContinuousClock.Instant?
        var expirations = 0

        var order: (Date, Int) { (position, pages) }
    }

    private let calls: ShardCalls
    private let start: ShardCalls.Position
    private var shards: [Shard] = []
    /// When the shards were listed: others were created later.
    private var listed: Date

    /// A shard answers five calls a second, which all readers share.
    private static let pause = Duration.milliseconds(200)
    /// An iterator that is five minutes old has expired; a new one is not.
    private static let mostExpirations = 3

    /// Begins at `start`, and in the shards of `progress` after what was read. `begin` is when the oldest records arrive that can
    /// be read from there.
    init(
        _ calls: ShardCalls,
        from start: ShardCalls.Position,
        progress: [String: Progress],
        begin: Date
    ) async throws(ServiceFailure) {
        self.calls = calls
        self.start = start
        listed = begin
        try await addShards(progress)
    }

    var shardCount: Int { shards.count }

    var progress: [String: Progress] {
        Dictionary(shards.map { ($0.name, $0.progress) }, uniquingKeysWith: { first, _ in first })
    }

    /// Everything that arrived until then was read, or had expired.
    var readThrough: Date {
        shards.filter { !$0.progress.isClosed }.map(\.progress.readThrough).reduce(listed, min)
    }

    /// Reads once more what open shards have got in the meantime.
    ///
    /// A shard that was read first lacks records that arrived together with some of the others.
    mutating func beginAgain() {
        for index in shards.indices where !shards[index].progress.isClosed { shards[index].isRead = false }
    }

    /// The next records; nil at the end.
    mutating func next() async throws(ServiceFailure) -> [ShardCalls.Page.Record]? {
        while true {
            let unread = shards.indices.filter { !shards[$0].isRead }
            guard let index = unread.min(by: { shards[$0].order < shards[$1].order }) else {
                // Shards that were split or merged during the reading have children.
                let known = shards.count
                try await addShards([:])
                guard shards.count > known else { return nil }
                continue
            }
            if let page = try await page(ofShardAt: index) { return page.records }
        }
    }

    private mutating func addShards(_ progress: [String: Progress]) async throws(ServiceFailure) {
        let known = Set(shards.map(\.name))
        let now = Date()
        for name in try await calls.shards() where !known.contains(name) {
            var earlier = progress[name] ?? Progress(readThrough: listed)
            earlier.readThrough = max(earlier.readThrough, listed)
            let position = earlier.last.map { ShardCalls.Position.after($0) } ?? start
            shards.append(Shard(name: name, start: position, progress: earlier, isRead: earlier.isClosed))
        }
        listed = now
    }

    /// Reads from a shard; nil if its iterator had expired.
    private mutating func page(ofShardAt index: Int) async throws(ServiceFailure) -> ShardCalls.Page? {
        if let asked = shards[index].asked, .now < asked + Self.pause { await calls.pause(asked + Self.pause - .now) }
        var shard = shards[index]
        defer { shards[index] = shard }
        let page: ShardCalls.Page
        let time: Date
        do {
            let iterator =
                if let known = shard.iterator { known } else {
                    try await calls.iterator(of: shard.name, from: shard.start)
                }
            shard.asked = .now
            time = Date()
            page = try await calls.page(at: iterator)
        } catch {
            guard error.code == "ExpiredIteratorException", shard.expirations < Self.mostExpirations else {
                throw error
            }
            shard.expirations += 1
            shard.iterator = nil
            return nil
        }
        shard.expirations = 0
        shard.pages += 1
        shard.iterator = page.next
        if let last = page.records.last {
            shard.start = .after(last.sequenceNumber)
            shard.progress.last = last.sequenceNumber
        }
        shard.progress.isClosed = page.next == nil
        shard.isRead = page.next == nil || page.secondsBehind.map { $0 <= 0 } ?? page.records.isEmpty
        let behind = page.secondsBehind.map { time.addingTimeInterval(-$0) }
        shard.progress.readThrough = max(
            shard.progress.readThrough,
            behind ?? page.records.last?.arrival ?? .distantPast
        )
        shard.position = max(shard.position, page.records.last?.arrival ?? behind ?? shard.position)
        return page
    }
}
