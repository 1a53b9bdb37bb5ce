package import Foundation
package import RecorderAWS
import RecorderConcurrency
package import RecorderEngine
package import RecorderStore

/// A pipeline over a real file, for engine tests, fault tests, the fuzzer and benchmarks.
package struct PipelineHarness: Sendable {
    package let directory: TemporaryDirectory
    package let pipeline: RecordPipeline
    /// What the engine emitted, unless the harness was made with an `emit` of its own.
    package let events = EventLog()
    package let clock: ManualClock
    /// The path of the directory as the pipeline was given it.
    private let storeDirectory: String

    /// Changes the configuration of the harness's calls.
    package typealias Configure = @Sendable (inout CallConfiguration) throws(ConfigurationFailure) -> Void

    /// The path of the database.
    package var path: String { "\(storeDirectory)/\(pipeline.service.name).db" }

    /// A pipeline whose file is in `directory`, by default a new one; `storeDirectory` is another path of it, such as a
    /// link.
    ///
    /// Requests go to us-east-1; saves are told `region`, nil if it is not configured yet. Without `url`, nothing can be sent.
    /// `systemClock` replaces `clock`, and `emit` receives the events instead of `events`. Without `checksDistribution`, streams
    /// are taken to place records by their keys, and the service is not asked.
    package init(
        _ service: StreamServiceDescription = .kinesis,
        url: String?,
        in directory: TemporaryDirectory? = nil,
        at storeDirectory: String? = nil,
        by clock: ManualClock = ManualClock(),
        systemClock: SystemClock? = nil,
        policy: RecorderPolicy = .legacy,
        checksDistribution: Bool = false,
        savingIn region: String? = "us-east-1",
        calling configure: @escaping Configure = { _ in },
        whenLocating located: @escaping @Sendable () -> Void = {},
        emit: (@Sendable (RecorderEvent) -> Void)? = nil
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        let storeDirectory = storeDirectory ?? directory.path
        let events = events
        var policy = policy
        policy.assumesDistributionByKey = !checksDistribution
        self.directory = directory
        self.storeDirectory = storeDirectory
        self.clock = clock
        let locate: @Sendable () throws(RecorderError) -> StoreLocation = {
            located()
            return StoreLocation(directory: storeDirectory, fileName: "\(service.name).db")
        }
        // Not shared with other tests: a port may be used again.
        let endpoints = CBOREndpoints()
        let caller: @Sendable () throws(ConfigurationFailure) -> AWSServiceCaller = { () throws(ConfigurationFailure) in
            try Self.caller(service, url: url) { call throws(ConfigurationFailure) in
                call.cborEndpoints = endpoints
                try configure(&call)
            }
        }
        pipeline = RecordPipeline(
            service,
            store: RecordStore(at: locate, clock: systemClock ?? clock.system),
            policy: policy,
            caller: caller,
            region: { region.flatMap { try? Region($0) } },
            emit: emit ?? { events.append($0) }
        )
        CanaryRun.show(pipeline)
    }

    private static func caller(
        _ service: StreamServiceDescription,
        url: String?,
        configure: Configure
    ) throws(ConfigurationFailure) -> AWSServiceCaller {
        guard let url else { throw ConfigurationFailure("This harness has no endpoint.") }
        var configuration = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: url),
            credentials: StaticCredentials(Canary.credentials),
            pause: { _ in }
        )
        try configure(&configuration)
        CanaryRun.show(configuration)
        return AWSServiceCaller(service.service, configuration: configuration)
    }

    // MARK: - calls

    package func save(_ text: String, to stream: String = "stream", key: String? = nil) async throws {
        try await save(Data(text.utf8), to: stream, key: key)
    }

    /// Saves with a completion, as the recorders do.
    package func save(_ data: Data?, to stream: String? = "stream", key: String? = nil) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            pipeline.save(data, stream: stream, partitionKey: key) { continuation.resume(with: $0) }
        }
    }

    /// Starts all saves without waiting, then waits for all of them.
    package func saveAll(_ texts: [String], to stream: String = "stream") async throws {
        for text in texts.dropLast() { pipeline.save(Data(text.utf8), stream: stream, partitionKey: nil) { _ in } }
        if let last = texts.last { try await save(last, to: stream) }
    }

    @discardableResult
    package func flush() async throws -> FlushReport { try await pipeline.flush() }

    package func clear() async throws -> Int { try await pipeline.clear() }

    package func records() throws -> Int { try pipeline.totals().records }
}

/// What the engine emitted, in order.
package final class EventLog: Sendable {
    private let log = Locked<[RecorderEvent]>([])

    package func append(_ event: RecorderEvent) { log.withLock { $0.append(event) } }

    package var discards: [Discard] {
        log.withLock { $0 }.compactMap { if case .discarded(let discard) = $0 { discard } else { nil } }
    }

    package var progress: [FlushProgress] {
        log.withLock { $0 }.compactMap { if case .settled(let progress) = $0 { progress } else { nil } }
    }

    package var rescues: [Rescue] {
        log.withLock { $0 }.compactMap { if case .rescued(let rescue) = $0 { rescue } else { nil } }
    }

    package var thresholds: [Int] {
        log.withLock { $0 }.compactMap { if case .byteThresholdReached(let usage) = $0 { usage } else { nil } }
    }
}

/// A machine's clocks, moved by the test.
package final class ManualClock: Sendable {
    private struct State {
        var now = Date(timeIntervalSince1970: 1_700_000_000)
        var uptime = Duration.seconds(1_000)
        var boots = 1
    }

    private let state = Locked(State())

    package init() {}

    package var now: Date { state.withLock { $0.now } }

    package var system: SystemClock {
        SystemClock(
            now: { self.state.withLock { $0.now } },
            uptime: { self.state.withLock { $0.uptime } },
            boot: { self.state.withLock { "boot \($0.boots)" } }
        )
    }

    /// Time passes.
    package func advance(by seconds: TimeInterval) {
        state.withLock { state in
            state.now.addTimeInterval(seconds)
            state.uptime += .seconds(seconds)
        }
    }

    /// The wall clock is set.
    package func jump(by seconds: TimeInterval) { state.withLock { $0.now.addTimeInterval(seconds) } }

    /// The machine is off for `seconds` by its own clock, then boots.
    package func reboot(after seconds: TimeInterval) {
        state.withLock { state in
            state.boots += 1
            state.now.addTimeInterval(seconds)
            state.uptime = .seconds(10)
        }
    }
}
