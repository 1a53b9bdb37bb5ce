import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// A shard accepts a fixed number of records a second and throttles the others individually, as Kinesis does.
    @Suite struct Shard {
        private final class Throttle: Sendable {
            struct State {
                var tokens: Double
                var filled = ContinuousClock.now
                var sent = 0
                var accepted: [String: Int] = [:]
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
                        state.accepted[text, default: 0] += 1
                        return #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#
                    }
                }
                return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
            }
        }

        @Test
        func `a backlog drains through a throttling shard at its rate: each record arrives once, and few are refused`()
            async throws
        {
            let records = count(4_000, full: 100_000)
            let rate = 1_000.0
            let directory = try TemporaryDirectory()
            let throttle = Throttle(rate: rate)
            let server = try LocalServer(keepsRequests: false) { request, _ in throttle.answer(request) }
            let store = try PipelineHarness(
                in: directory.path("store"),
                to: server.url,
                sharesEntries: false,
                usesRealPauses: true
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<records { group.addTask { try await store.save("record \(number)") } }
                try await group.waitForAll()
            }
            let start = ContinuousClock.now
            while try store.pipeline.totals().records > 0 { _ = try await store.flush() }
            let took = (ContinuousClock.now - start) / .seconds(1)
            let (sent, accepted, repeated) = throttle.state.withLock { state in
                (state.sent, state.accepted.count, state.accepted.values.count { $0 > 1 })
            }
            // The shard starts with the tokens of one second.
            let ideal = max(Double(records) / rate - 1, 0.1)
            report(
                "R19 shard:",
                [
                    "records": records, "accepted": accepted, "repeated": repeated,
                    "sent/accepted": Double(sent) / Double(max(accepted, 1)), "seconds": took, "ideal": ideal,
                ]
            )
            #expect(accepted == records && repeated == 0)
            guard isLongRun else { return }
            // Shorter runs mostly consist of the first seconds, in which the sender has not learned the shard's rate
            // yet.
            #expect(Double(sent) <= Double(accepted) * (isFull ? 1.15 : 1.3))
            #expect(took < ideal * (isFull ? 1.1 : 1.3) + 5)
        }
    }
}
