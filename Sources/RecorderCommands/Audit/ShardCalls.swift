import FoundationEssentials
import RecordFormats
import RecorderAWS
import RecorderDelivery
import RecorderHTTP
import RecorderStore

/// The calls of Kinesis that read a stream.
struct ShardCalls: Sendable {
    /// Where the reading of a shard begins.
    enum Position: Sendable, Hashable {
        case oldest
        case time(Date)
        /// After the record with this sequence number.
        case after(String)
    }

    /// How long the stream keeps its records, and since when it exists.
    struct Retention: Sendable {
        let hours: Int
        let created: Date
    }

    /// One answer with records.
    struct Page: Sendable {
        struct Record: Sendable {
            let partitionKey: String
            /// nil if it cannot be an aggregated record: then it is not decoded.
            let aggregatedData: [UInt8]?
            let sequenceNumber: String
            let arrival: Date?
        }

        let records: [Record]
        /// nil at the end of a closed shard.
        let next: String?
        /// How far the records are behind the newest one of the shard, in seconds.
        let secondsBehind: Double?
    }

    let stream: StreamName
    private let caller: AWSServiceCaller
    private let service = StreamServiceDescription.kinesis

    /// Of 10,000, as an answer has at most 10 MB. Five a second are allowed for each shard, and it accepts 1,000 records.
    private static let recordsPerPage = 5_000
    /// 10 MB as base64, with keys and sequence numbers.
    private static let longestPage = 32 << 20

    init(_ stream: StreamName, caller: AWSServiceCaller) {
        self.stream = stream
        self.caller = caller
    }

    /// Waits, unless the program is stopped.
    func pause(_ duration: Duration) async { await caller.pause(duration) }

    /// nil if the credentials do not permit the call, or the answer says neither.
    func retention() async -> Retention? {
        guard let answer = try? await caller.call(service.summaryRequest(of: stream)),
            let summary = JSONValue(answer.body)?.object?["StreamDescriptionSummary"]?.object,
            case .integer(let hours)? = summary["RetentionPeriodHours"],
            let created = summary["StreamCreationTimestamp"]?.double
        else { return nil }
        return Retention(hours: hours, created: Date(timeIntervalSince1970: created))
    }

    /// The names of all shards that still have records, closed ones too.
    func shards() async throws(ServiceFailure) -> [String] {
        var names: [String] = []
        var token: String?
        repeat {
            let members = token.map { "\"NextToken\":\(Self.quoted($0))" } ?? streamMember
            let answer = try await call("ListShards", "{\(members)}")
            guard let list = answer["Shards"]?.list else { throw Self.unreadable("ListShards") }
            names += list.compactMap { $0.object?["ShardId"]?.string }
            token = answer["NextToken"]?.string
        } while token != nil
        return names
    }

    func iterator(of shard: String, from position: Position) async throws(ServiceFailure) -> String {
        let start =
            switch position {
            case .oldest: #""ShardIteratorType":"TRIM_HORIZON""#
            case .time(let time):
                #""ShardIteratorType":"AT_TIMESTAMP","Timestamp":\#(Int(time.timeIntervalSince1970))"#
            case .after(let number):
                #""ShardIteratorType":"AFTER_SEQUENCE_NUMBER","StartingSequenceNumber":\#(Self.quoted(number))"#
            }
        let body = #"{\#(streamMember),"ShardId":\#(Self.quoted(shard)),\#(start)}"#
        guard let iterator = try await call("GetShardIterator", body)["ShardIterator"]?.string else {
            throw Self.unreadable("GetShardIterator")
        }
        return iterator
    }

    func page(at iterator: String) async throws(ServiceFailure) -> Page {
        let body = #"{\#(arnMember)"ShardIterator":\#(Self.quoted(iterator)),"Limit":\#(Self.recordsPerPage)}"#
        let answer = try await call("GetRecords", body)
        guard let list = answer["Records"]?.list else { throw Self.unreadable("GetRecords") }
        return Page(
            records: try list.map { (value) throws(ServiceFailure) in try Self.record(value) },
            next: answer["NextShardIterator"]?.string,
            secondsBehind: answer["MillisBehindLatest"]?.double.map { $0 / 1_000 }
        )
    }

    private static func record(_ value: JSONValue) throws(ServiceFailure) -> Page.Record {
        guard let members = value.object, let key = members["PartitionKey"]?.string,
            let number = members["SequenceNumber"]?.string, let data = members["Data"]?.string
        else { throw unreadable("GetRecords") }
        return Page.Record(
            partitionKey: key,
            aggregatedData: data.hasPrefix(magic) ? Data(base64Encoded: data).map { Array($0) } : nil,
            sequenceNumber: number,
            arrival: (members["ApproximateArrivalTimestamp"]?.double).map { Date(timeIntervalSince1970: $0) }
        )
    }

    /// The characters that base64 has for the whole bytes of an aggregated record's beginning.
    private static let magic = String(Base64.text(AggregatedEntry.magic).prefix(5))

    // MARK: requests

    private var streamMember: String {
        let (field, name) = service.member(naming: stream)
        return #""\#(field)":"\#(name)""#
    }

    /// An iterator says which stream it is of, but the host depends on an ARN's account.
    private var arnMember: String { stream.arn == nil ? "" : "\(streamMember)," }

    private func call(_ operation: String, _ body: String) async throws(ServiceFailure) -> [String: JSONValue] {
        let request = CallRequest(
            operation,
            body: Array(body.utf8),
            context: service.context(of: stream),
            maximumResponseBytes: Self.longestPage
        )
        guard let members = JSONValue(try await caller.call(request).body)?.object else {
            throw Self.unreadable(operation)
        }
        return members
    }

    private static func unreadable(_ operation: String) -> ServiceFailure {
        ServiceFailure(.unreadable, message: "The answer to \(operation) cannot be read.")
    }

    private static func quoted(_ text: String) -> String { RecorderAWS.JSONText.quoted(text) }
}
