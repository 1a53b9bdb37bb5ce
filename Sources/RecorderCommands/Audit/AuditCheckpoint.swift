import FoundationEssentials
import RecordFormats
import RecorderAWS

/// What an audit read, so that the next one reads only what came since: --checkpoint.
struct AuditCheckpoint: Codable, Sendable {
    private static let version = 2
    /// In bytes; some hundred for each source of records.
    private static let longest = 256 << 20

    /// What was read of one stream.
    struct Stream: Codable, Sendable {
        struct Source: Codable, Sendable {
            let storeID: String
            let streamNumber: Int64
            /// In turn the first and the last ordinal of each range.
            let ranges: [Int64]
            let delivered: Int
            let repeated: Int
            let firstArrival: Date?
            let lastEarly: Int64
        }

        /// Where shards without a record begin; nil for their oldest record.
        let since: Date?
        let isFromBeginning: Bool
        /// How long the stream kept its records; nil if it did not say.
        let retentionHours: Int?
        /// Everything that arrived until then was read, from the beginning on.
        let readThrough: Date
        /// What had expired before it could be read.
        let unread: [StreamReading.Period]
        let shards: [String: ShardReader.Progress]
        let foreign: Int
        let records: Int
        let oldest: Date?
        let sources: [Source]
    }

    private let version: Int
    /// By name or ARN.
    var streams: [String: Stream]

    init() {
        version = Self.version
        streams = [:]
    }

    /// Reads a file; an empty checkpoint if there is none, or nothing in it. Throws if it could not be replaced, too.
    init(path: String) throws(CommandFailure) {
        let file = Self.file(at: path)
        do throws(OwnFile.Problem) {
            try file.check()
        } catch {
            throw Self.failure(path, error.text)
        }
        let text: [UInt8]
        do throws(ConfigurationFailure) {
            text = try SmallFile.bytes(of: path, limit: Self.longest) ?? []
        } catch {
            throw CommandFailure(.noInput, message: "--checkpoint: \(error.message)")
        }
        guard !text.isEmpty else {
            self.init()
            return
        }
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(text)), read.version == Self.version,
            read.streams.values.flatMap(\.sources).allSatisfy(\.isSound)
        else {
            throw Self.failure(path, "it is no checkpoint of this version. Remove it to start anew")
        }
        self = read
    }

    /// Replaces the file in one step.
    func write(to path: String) throws(CommandFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let text = try? encoder.encode(self) else { throw Self.failure(path, "it has values that JSON lacks") }
        do throws(OwnFile.Problem) {
            try Self.file(at: path).replace(with: String(decoding: text, as: UTF8.self))
        } catch {
            throw Self.failure(path, error.text)
        }
    }

    /// The keys are sorted, so the streams come first.
    private static func file(at path: String) -> OwnFile { OwnFile(path: path, beginning: #"{"streams":"#) }

    private static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(.noInput, message: "--checkpoint \(path) cannot be used: \(reason).")
    }
}

extension AuditCheckpoint.Stream {
    init(
        _ account: StreamAccount,
        since: Date?,
        isFromBeginning: Bool,
        retentionHours: Int?,
        readThrough: Date,
        unread: [StreamReading.Period],
        shards: [String: ShardReader.Progress]
    ) {
        self.init(
            since: since,
            isFromBeginning: isFromBeginning,
            retentionHours: retentionHours,
            readThrough: readThrough,
            unread: unread,
            shards: shards,
            foreign: account.foreign,
            records: account.records,
            oldest: account.oldest,
            sources: account.sources.map { Source($0.key, $0.value) }
        )
    }

    var account: StreamAccount {
        var account: [StreamAccount.Source: StreamAccount.Records] = [:]
        for source in sources { account[source.source] = source.records }
        return StreamAccount(sources: account, foreign: foreign, records: records, oldest: oldest)
    }
}

extension AuditCheckpoint.Stream.Source {
    fileprivate init(_ source: StreamAccount.Source, _ records: StreamAccount.Records) {
        self.init(
            storeID: RecordIdentity.storeID(source.store),
            streamNumber: source.stream,
            ranges: records.ordinals.ranges.flatMap { [$0.lowerBound, $0.upperBound] },
            delivered: records.delivered,
            repeated: records.repeated,
            firstArrival: records.firstArrival,
            lastEarly: records.lastEarly
        )
    }

    fileprivate var isSound: Bool {
        RecordIdentity.store(storeID) != nil && ranges.count.isMultiple(of: 2)
            && zip(ranges, ranges.dropFirst()).allSatisfy { $0 <= $1 }
            && ranges.allSatisfy { (0..<(1 << 40)).contains($0) }
    }

    fileprivate var source: StreamAccount.Source {
        StreamAccount.Source(store: RecordIdentity.store(storeID) ?? 0, stream: streamNumber)
    }

    fileprivate var records: StreamAccount.Records {
        var records = StreamAccount.Records()
        records.ordinals = OrdinalRanges(stride(from: 0, to: ranges.count, by: 2).map { ranges[$0]...ranges[$0 + 1] })
        (records.delivered, records.repeated) = (delivered, repeated)
        (records.firstArrival, records.lastEarly) = (firstArrival, lastEarly)
        return records
    }
}
