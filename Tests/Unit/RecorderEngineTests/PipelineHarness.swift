import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderTestSupport
import ReplyFuzzer

/// A pipeline over a real file in a directory of its own, sending to a scripted server where one is given.
struct PipelineHarness: Sendable {
    let directory: TemporaryDirectory
    let pipeline: RecordPipeline
    let events = EventLog()
    let clock: ManualClock
    /// The directory by the name that the pipeline was given.
    private let storeDirectory: String

    var path: String { "\(storeDirectory)/\(pipeline.service.name).db" }

    init(
        _ service: StreamServiceDescription = .kinesis,
        to server: LocalServer? = nil,
        in directory: TemporaryDirectory? = nil,
        by clock: ManualClock = ManualClock(),
        at storeDirectory: String? = nil,
        _ adjust: (inout RecorderPolicy) -> Void = { _ in },
        calling configure: @escaping @Sendable (inout CallConfiguration) throws(ConfigurationFailure) -> Void = { _ in
        },
        whenLocating located: @escaping @Sendable () -> Void = {}
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        let events = events
        var policy = RecorderPolicy.legacy
        adjust(&policy)
        self.directory = directory
        let storeDirectory = storeDirectory ?? directory.path
        self.storeDirectory = storeDirectory
        self.clock = clock
        let store = RecordStore(
            at: { () throws(RecorderError) in
                located()
                return try StoreLocation(
                    service: service.name,
                    key: nil,
                    directory: storeDirectory,
                    program: "test",
                    environment: [:]
                )
            },
            clock: clock.system
        )
        let url = server?.url
        pipeline = RecordPipeline(
            service,
            store,
            policy,
            caller: { () throws(RecorderError) in try Self.caller(service, url, configure) },
            report: { events.append($0) }
        )
        CanaryRun.show(pipeline)
    }

    private static func caller(
        _ service: StreamServiceDescription,
        _ url: String?,
        _ configure: (inout CallConfiguration) throws(ConfigurationFailure) -> Void
    ) throws(RecorderError) -> AWSServiceCaller {
        do throws(ConfigurationFailure) {
            guard let url else { throw ConfigurationFailure("No endpoint was given to this test.") }
            var configuration = CallConfiguration(
                region: try Region("us-east-1"),
                endpoint: try Endpoint(url: url),
                credentials: StaticCredentials(Canary.credentials),
                pause: { _ in }
            )
            try configure(&configuration)
            CanaryRun.show(configuration)
            return AWSServiceCaller(service.service, configuration)
        } catch {
            throw .configuration(error)
        }
    }

    func save(_ text: String, to stream: String = "stream", key: String? = nil) async throws {
        try await save(Data(text.utf8), to: stream, key: key)
    }

    func save(_ data: Data?, to stream: String? = "stream", key: String? = nil) async throws {
        try await withCheckedThrowingContinuation { continuation in
            pipeline.save(data, stream: stream, partitionKey: key) { continuation.resume(with: $0) }
        }
    }

    /// Saves without waiting in between, then waits for all.
    func saveAll(_ texts: [String], to stream: String = "stream") async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for text in texts.dropLast() {
                pipeline.save(Data(text.utf8), stream: stream, partitionKey: nil) { _ in }
                _ = text
            }
            if let last = texts.last { group.addTask { try await save(last, to: stream) } }
            try await group.waitForAll()
        }
    }

    func flush() async throws -> FlushReport {
        try await withCheckedThrowingContinuation { continuation in
            pipeline.flush { continuation.resume(with: $0) }
        }
    }

    func clear() async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            pipeline.clear { continuation.resume(with: $0) }
        }
    }

    func records() throws -> Int { try pipeline.totals().records }

    /// What another program would read from the file, in the order of the saves.
    func storedTexts() throws -> [String] { try ReplyFuzzer.storedTexts(at: path) }
}

/// What the engine reported, in order.
final class EventLog: Sendable {
    private let log = Locked<[RecorderEvent]>([])

    func append(_ event: RecorderEvent) { log.withLock { $0.append(event) } }

    var discards: [Discard] {
        log.withLock { $0 }.compactMap { if case .discarded(let discard) = $0 { discard } else { nil } }
    }

    var progress: [FlushProgress] {
        log.withLock { $0 }.compactMap { if case .settled(let progress) = $0 { progress } else { nil } }
    }

    var rescues: [Rescue] {
        log.withLock { $0 }.compactMap { if case .rescued(let rescue) = $0 { rescue } else { nil } }
    }

    var thresholds: [Int] {
        log.withLock { $0 }.compactMap { if case .byteThresholdReached(let usage) = $0 { usage } else { nil } }
    }
}

/// A machine's clocks, which move when the test says so.
final class ManualClock: Sendable {
    private struct State {
        var now = Date(timeIntervalSince1970: 1_700_000_000)
        var uptime = Duration.seconds(1_000)
        var boots = 1
    }

    private let state = Locked(State())

    var now: Date { state.withLock { $0.now } }

    var system: SystemClock {
        SystemClock(
            now: { self.state.withLock { $0.now } },
            uptime: { self.state.withLock { $0.uptime } },
            boot: { self.state.withLock { "boot \($0.boots)" } }
        )
    }

    /// Time passes.
    func advance(by seconds: TimeInterval) {
        state.withLock { state in
            state.now.addTimeInterval(seconds)
            state.uptime += .seconds(seconds)
        }
    }

    /// Somebody sets the time of day.
    func jump(by seconds: TimeInterval) { state.withLock { $0.now.addTimeInterval(seconds) } }

    /// The machine is off for so long, by its own clock, and boots.
    func reboot(after seconds: TimeInterval) {
        state.withLock { state in
            state.boots += 1
            state.now.addTimeInterval(seconds)
            state.uptime = .seconds(10)
        }
    }
}

/// What a request to PutRecords or PutRecordBatch asked for.
struct PutRequestSeen {
    let stream: String
    let texts: [String]

    init(_ request: ReceivedRequest) {
        let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        stream = (json?["StreamName"] ?? json?["DeliveryStreamName"]) as? String ?? "?"
        let records = json?["Records"] as? [[String: String]] ?? []
        texts = records.map { String(decoding: Data(base64Encoded: $0["Data"] ?? "") ?? Data(), as: UTF8.self) }
    }
}

extension Reply {
    /// Takes every record of a Kinesis request but those that `fail` names a code for.
    static func kinesis(_ request: ReceivedRequest, fail: (String) -> String? = { _ in nil }) -> Reply {
        let entries = PutRequestSeen(request).texts.enumerated().map { index, text in
            fail(text).map { #"{"ErrorCode":"\#($0)","ErrorMessage":"told to fail"}"# }
                ?? #"{"SequenceNumber":"4\#(index)","ShardId":"shardId-000000000000"}"#
        }
        return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
    }
}
