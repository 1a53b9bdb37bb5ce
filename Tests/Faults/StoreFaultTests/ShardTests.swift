import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// A shard takes so many records a second and throttles the rest one by one, as Kinesis does.
    @Suite struct Shard {
        private final class Throttle: Sendable {
            struct State {
                var tokens: Double
                var filled = ContinuousClock.now
                var sent = 0
                var taken: [String: Int] = [:]
            }

            let state: Locked<State>
            private let rate: Double

            init(rate: Double) {
                self.rate = rate
                state = Locked(State(tokens: rate))
            }

            func answer(_ request: ReceivedRequest) -> Reply {
                let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
                let texts = (json?["Records"] as? [[String: String]] ?? []).map { $0["Data"] ?? "" }
                let rate = rate
                let entries = state.withLock { state in
                    let now = ContinuousClock.now
                    state.tokens = min(rate, state.tokens + rate * ((now - state.filled) / .seconds(1)))
                    state.filled = now
                    state.sent += texts.count
                    return texts.map { text in
                        guard state.tokens >= 1 else {
                            return #"{"ErrorCode":"ProvisionedThroughputExceededException"}"#
                        }
                        state.tokens -= 1
                        state.taken[text, default: 0] += 1
                        return #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#
                    }
                }
                return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
            }
        }

        @Test
        func `a backlog goes through a throttling shard at its rate: all arrive, each once, and few are refused`()
            async throws
        {
            let records = count(4_000, full: 100_000)
            let rate = 1_000.0
            let directory = try TemporaryDirectory()
            let throttle = Throttle(rate: rate)
            let server = try LocalServer(keepsRequests: false) { request, _ in throttle.answer(request) }
            let store = try PipelineHarness(in: directory.path("store"), to: server.url, pausesForReal: true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<records { group.addTask { try await store.save("record \(number)") } }
                try await group.waitForAll()
            }
            let start = ContinuousClock.now
            while try store.pipeline.totals().records > 0 { _ = try await store.flush() }
            let took = (ContinuousClock.now - start) / .seconds(1)
            let (sent, taken, repeated) = throttle.state.withLock { state in
                (state.sent, state.taken.count, state.taken.values.count { $0 > 1 })
            }
            // The shard starts with a second's worth.
            let ideal = max(Double(records) / rate - 1, 0.1)
            report(
                "R19 shard:",
                [
                    "records": records, "taken": taken, "repeated": repeated,
                    "sent/taken": Double(sent) / Double(max(taken, 1)), "seconds": took, "ideal": ideal,
                ]
            )
            #expect(taken == records && repeated == 0)
            guard isPatient else { return }
            // Shorter runs are for the most part those first seconds in which the shard's rate is not known yet.
            #expect(Double(sent) <= Double(taken) * (isFull ? 1.15 : 1.3))
            #expect(took < ideal * (isFull ? 1.1 : 1.3) + 5)
        }
    }
}
