#if SwiftMetrics
    import KinesisRecorders
    import Metrics
    import RecorderConcurrency
    import RecorderTestSupport
    import Testing

    /// What the trait SwiftMetrics adds.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct MetricsTests {
        private static let metrics: CapturedMetrics = {
            let metrics = CapturedMetrics()
            MetricsSystem.bootstrap(metrics)
            return metrics
        }()

        @Test func `a submit's metrics arrive under their names, and at the handler as well`() async throws {
            let metrics = Self.metrics
            let server = try acceptingServer()
            let recorder = try Recorders.kinesis(url: server.url)
            let handled = AsyncStream<AWSSubmitMetrics>.makeStream()
            recorder.metricsHandler = { handled.continuation.yield($0) }
            recorder.sendMetrics(dimensions: [("recorder", "handled")])
            try await Recorders.save(3, to: recorder)
            try await recorder.submit()
            #expect(await metrics.submits("handled") == 1)
            #expect(
                metrics.values("handled") == [
                    "kinesis_recorder_delivered_records": 3, "kinesis_recorder_delivered_entries": 3,
                    "kinesis_recorder_discarded_records": 0, "kinesis_recorder_submits": 1,
                    "kinesis_recorder_failed_submits": 0, "kinesis_recorder_stored_records": 0,
                    "kinesis_recorder_stored_bytes": 0,
                ]
            )
            var all = handled.stream.makeAsyncIterator()
            #expect(await all.next()?.recordsSent == 3)
        }

        @Test func `a failed submit counts, and the gauges say what stays`() async throws {
            let metrics = Self.metrics
            let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
            let recorder = try Recorders.kinesis(url: server.url)
            recorder.sendMetrics(dimensions: [("recorder", "failed")])
            try await Recorders.save(2, to: recorder)
            await #expect(throws: (any Error).self) { try await recorder.submit() }
            #expect(await metrics.submits("failed") == 1)
            let values = metrics.values("failed")
            #expect(values["kinesis_recorder_failed_submits"] == 1)
            #expect(values["kinesis_recorder_stored_records"] == 2)
            #expect(values["kinesis_recorder_delivered_records"] == 0)
        }
    }

    /// The sums of counters and the last values of gauges, by the value of their only dimension.
    private final class CapturedMetrics: MetricsFactory {
        private let all = Locked<[String: [String: Int64]]>([:])
        private let ends = AsyncStream<String>.makeStream()

        func values(_ owner: String) -> [String: Int64] { all.withLock { $0[owner] ?? [:] } }

        /// How many submits were counted, after waiting until the metrics of one are complete.
        func submits(_ owner: String) async -> Int64? {
            for await ended in ends.stream where ended == owner { break }
            return values(owner)["kinesis_recorder_submits"]
        }

        fileprivate func change(_ owner: String, _ label: String, _ new: (Int64) -> Int64) {
            all.withLock { $0[owner, default: [:]][label] = new($0[owner]?[label] ?? 0) }
            // The last one of a submit.
            if label == "kinesis_recorder_stored_bytes" { ends.continuation.yield(owner) }
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            Handler(self, label, dimensions)
        }

        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            Handler(self, label, dimensions)
        }

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            Handler(self, label, dimensions)
        }

        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}

        private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
            private let metrics: CapturedMetrics
            private let label: String
            private let owner: String

            init(_ metrics: CapturedMetrics, _ label: String, _ dimensions: [(String, String)]) {
                self.metrics = metrics
                self.label = label
                owner = dimensions.first?.1 ?? ""
            }

            func increment(by amount: Int64) { metrics.change(owner, label) { $0 + amount } }
            func reset() {}
            func record(_ value: Int64) { metrics.change(owner, label) { _ in value } }
            func record(_ value: Double) { record(Int64(value)) }
            func recordNanoseconds(_ duration: Int64) { #expect(duration > 0) }
        }
    }
#endif
