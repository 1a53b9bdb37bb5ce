import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// How much a shard takes if records share entries, measured at an emulated shard of 1,000 entries and 1 MiB a second.
    @Suite struct SharedEntryThroughput {
        /// Which keys the records have, and the least number of records a second.
        enum Keys: String, CaseIterable {
            case none, ofSensors

            func key(of number: Int) -> String? { self == .none ? nil : "sensor-\(number % 20)" }

            var leastPerSecond: Double { self == .none ? 4_900 : 4_500 }
        }

        @Test(arguments: Keys.allCases)
        func `a shard takes five times as many small records if they share entries`(keys: Keys) async throws {
            let shared = try await drain(keys, seconds: seconds(2, full: 62), perSecond: 5_100, sharing: 51_200)
            let alone = try await drain(keys, seconds: seconds(2, full: 12), perSecond: 1_000, sharing: nil)
            report(
                "R52 shared entries, keys \(keys.rawValue):",
                [
                    "records/s": shared.perSecond, "sent/accepted": shared.counts.sentOverTaken,
                    "records": shared.counts.recordsTaken, "entries": shared.counts.taken.entries,
                    "unshared records/s": alone.perSecond, "unshared sent/accepted": alone.counts.sentOverTaken,
                ]
            )
            // 20 keys fill 20 entries at once, which are smaller.
            #expect(shared.counts.recordsTaken > 100 * shared.counts.taken.entries)
            #expect(alone.counts.recordsTaken == alone.counts.taken.entries)
            guard isLongRun else { return }
            #expect(shared.perSecond >= keys.leastPerSecond)
            #expect(alone.perSecond <= 1_010)
            if isFull { #expect(shared.counts.sentOverTaken <= 1.02) }
        }

        /// Delivers records of 200 bytes from a backlog for so many seconds and the burst of one.
        private func drain(
            _ keys: Keys,
            seconds: Int,
            perSecond: Int,
            sharing bytes: Int?
        ) async throws -> (counts: ShardService.Counts, perSecond: Double) {
            let records = perSecond * (seconds + 1)
            let service = try ShardService(shards: 1)
            let directory = try TemporaryDirectory()
            let store = try PipelineHarness(in: directory.path, to: service.url, usesRealPauses: true)
            store.pipeline.configure { $0.keylessRecords = .withRandomKeys }
            store.pipeline.configure { $0.sharedEntryBytes = bytes }
            try await save(records, keys, in: store)
            let start = service.seconds
            while try store.records() > 0 { _ = try await store.flush() }
            let counts = service.counts
            #expect(counts.recordsTaken == records && service.order.records == records)
            // From the second in which the first records arrived and the bucket was emptied, to the last whole one.
            let end = max(counts.recordsBySecond.count - 1, 1)
            let whole = counts.recordsBySecond[min(start + 2, end - 1)..<end]
            return (counts, Double(whole.reduce(0, +)) / Double(whole.count))
        }

        private func save(_ count: Int, _ keys: Keys, in store: PipelineHarness) async throws {
            for first in stride(from: 0, to: count, by: 1_000) {
                try await withThrowingDiscardingTaskGroup { group in
                    for number in first..<min(first + 1_000, count) {
                        let text = "device \(number) "
                        let data = Data((text + String(repeating: "x", count: 200 - text.utf8.count)).utf8)
                        group.addTask { try await store.save(data, key: keys.key(of: number)) }
                    }
                }
            }
        }
    }
}
