import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

extension FaultRows {
    /// Aggregated records at a consumer built on the KCL, of a stream that is switched to AUTO, and back, while they are sent.
    @Suite struct Distribution {
        @Test(arguments: [1, 4])
        func `a stream that is switched while aggregated records are sent loses none at its consumer`(
            atOnce: Int
        ) async throws {
            let records = count(4_000, full: 100_000)
            // A request has about 2,300 records, or 90 where there are few.
            let batchBytes = isLongRun ? 512 * 1_024 : 20 * 1_024
            let requests = records * 220 / batchBytes
            let stream = try DistributedStream(shards: 8) { state in
                state.changes[requests / 3] = { $0.reshard(to: 12) }
                state.changes[requests / 2] = { $0.isAutomatic = true }
            }
            let figures = try await send(records, to: stream, batchBytes: batchBytes, atOnce: atOnce, asks: true)
            #expect(figures.records == records && figures.dropped > 0)
            if atOnce == 1 { #expect(figures.sharedEntriesAfterAnswer == 0) }
            #expect(figures.sharedEntries > requests / 2)
        }

        @Test func `control: the same without asking loses records`() async throws {
            let stream = try DistributedStream(shards: 8) { $0.changes[5] = { $0.isAutomatic = true } }
            let figures = try await send(4_000, to: stream, batchBytes: 20 * 1_024, atOnce: 1, asks: false)
            #expect(figures.records < 4_000)
        }

        private func send(
            _ records: Int,
            to stream: DistributedStream,
            batchBytes: Int,
            atOnce: Int,
            asks: Bool
        ) async throws -> DistributedStream.State {
            var policy = RecorderPolicy.legacy
            policy.limits.bytes = 0
            policy.batchByteLimit = batchBytes
            policy.sharedEntryBytes = batchBytes / 10
            policy.requestsPerStream = atOnce
            let harness = try PipelineHarness(url: stream.url, policy: policy, checksDistribution: asks)
            let filler = String(repeating: "x", count: 190)
            for number in 0..<records {
                harness.pipeline.save(
                    Data("\(number) \(filler)".utf8),
                    stream: "stream",
                    partitionKey: number % 3 == 0 ? "sensor \(number % 30)" : nil
                ) { _ in }
            }
            #expect(try await harness.flush().delivered == records)
            #expect(try harness.records() == 0)
            let state = stream.state
            report(
                "R99 switched to AUTO, asked \(asks), \(atOnce) at once:",
                [
                    "records": records, "lost at the consumer": records - state.records, "repeated": state.repeats,
                    "dropped": state.dropped, "shared entries": state.sharedEntries,
                    "after the answer that shows it": state.sharedEntriesAfterAnswer,
                    "summaries": state.count(of: "DescribeStreamSummary"),
                ]
            )
            return state
        }
    }
}
