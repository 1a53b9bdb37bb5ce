import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// `keepsOrder`: the order of each partition key, through throttling, resets, kills and several processes.
    @Suite struct KeyOrder {
        private struct Setup {
            let options: [String]
            let records: Int
            var submitters = 2
            var kills: Int
        }

        @Test(
            arguments: [
                ["ordered"], ["ordered", "parallel"], ["ordered", "shared"], ["ordered", "shared", "parallel"],
            ]
        )
        func `with keepsOrder, no record of a key arrives before an older one`(options: [String]) async throws {
            let records = count(4_000, full: 1_000_000)
            let order = try await run(
                Setup(options: options, records: records, kills: count(4, full: 100)),
                named: options.joined(separator: " ")
            )
            #expect(order.inversions == 0)
            #expect(order.records == records && order.unreadable == 0)
        }

        @Test func `control: without keepsOrder, records of a key arrive in another order`() async throws {
            let records = count(4_000, full: 100_000)
            let order = try await run(Setup(options: [], records: records, kills: count(2, full: 10)), named: "control")
            #expect(order.inversions > 0)
            #expect(order.records == records)
        }

        /// Saves records of 200 keys while processes submit them and are killed; returns once everything has arrived.
        private func run(_ setup: Setup, named name: String) async throws -> DeliveryOrder {
            var random = SeededRandom(seed + 51)
            var faults = ShardService.Faults()
            faults.throttled = 0.2
            faults.resetBefore = 0.02
            faults.resetAfter = 0.02
            faults.seed = seed
            var limits = ShardBucket.Limits()
            limits.entries = 1e9
            limits.bytes = 1e12
            let service = try ShardService(shards: 2, limits: limits, faults: faults)
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            func start() throws -> Child {
                try Child(arguments: ["order", path, service.url, journal, "s", "0"] + setup.options)
            }
            let store = try PipelineHarness(in: path, to: nil)
            try await save(0..<setup.records / 2, in: store)
            var children = try (0..<setup.submitters).map { _ in try start() }
            defer { for child in children { child.kill() } }
            async let rest: Void = save(setup.records / 2..<setup.records, in: store)
            for kill in 0..<setup.kills {
                let reached = Double(kill + 1) / Double(setup.kills + 1) * Double(setup.records)
                while service.recordsArrived < Int(reached) { try await Task.sleep(for: .milliseconds(5)) }
                let victim = Int.random(in: children.indices, using: &random)
                children[victim].kill()
                _ = await children[victim].end()
                children[victim] = try start()
            }
            try await rest
            try Data().write(to: URL(fileURLWithPath: "\(journal).saved"))
            for child in children { #expect(await child.end() == .exit(0)) }
            let (order, counts) = (service.order, service.counts)
            report(
                "R51 order, \(name):",
                [
                    "records": setup.records, "arrived": order.records, "inversions": order.inversions,
                    "repeated": order.repeats, "kills": setup.kills, "requests": counts.requests,
                    "entries": counts.taken.entries, "sent/accepted": counts.sentOverTaken,
                ]
            )
            return order
        }

        /// Record n has key n % 200, and is the next one of its key.
        private func save(_ numbers: Range<Int>, in store: PipelineHarness) async throws {
            for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1_000) {
                let last = min(first + 1_000, numbers.upperBound) - 1
                for number in first..<last {
                    let (key, text) = (number % 200, number / 200)
                    store.pipeline.save(Data("k\(key) \(text)".utf8), stream: "stream", partitionKey: "k\(key)") { _ in
                    }
                }
                try await store.save("k\(last % 200) \(last / 200)", key: "k\(last % 200)")
            }
        }
    }
}
