import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Limits that discard many records, and stores with many streams.
    @Suite struct Limits {
        private let limit = 100_000

        private final class Flag: Sendable {
            private let value = Locked(false)
            var isSet: Bool { value.withLock { $0 } }
            func set() { value.withLock { $0 = true } }
        }

        /// Records of ten bytes, in one stream.
        private func fill(_ path: String, _ count: Int) async throws {
            let store = try PipelineHarness(in: path, to: nil)
            for number in 0..<count {
                let text = String(format: "%010d", number)
                store.pipeline.save(Data(text.utf8), stream: "stream", partitionKey: "k") { _ in }
            }
            try await store.save("filled")
        }

        @Test func `other stores save and submit while a lowered limit discards a backlog`() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path("store")
            try await fill(path, count(60_000, full: 2_000_000))
            let server = try RecordingServer()
            let lowered = try PipelineHarness(in: path, to: nil, byteLimit: limit)
            let start = ContinuousClock.now
            try await lowered.save("lowered")
            let answered = ContinuousClock.now - start
            let done = Flag()
            let (slowest, saves, submits) = try await withThrowingTaskGroup(of: (Duration, Int, Int).self) { group in
                group.addTask {
                    await lowered.pipeline.limitsEnforced()
                    done.set()
                    return (.zero, 0, 0)
                }
                for saver in 0..<10 {
                    // Each has its own connection and lock, like another process.
                    group.addTask {
                        let store = try PipelineHarness(in: path, to: nil)
                        var (slowest, number) = (Duration.zero, 0)
                        repeat {
                            let start = ContinuousClock.now
                            try await store.save("saver \(saver) \(number)", to: "other\(saver)")
                            slowest = max(slowest, ContinuousClock.now - start)
                            number += 1
                        } while !done.isSet
                        return (slowest, number, 0)
                    }
                }
                group.addTask {
                    let store = try PipelineHarness(in: path, to: server.url)
                    store.pipeline.configure { $0.batchesPerStream = 1 }
                    var submits = 0
                    repeat {
                        _ = try await store.pipeline.flushIfFree()
                        submits += 1
                    } while !done.isSet
                    return (.zero, 0, submits)
                }
                return try await group.reduce((Duration.zero, 0, 0)) { (max($0.0, $1.0), $0.1 + $1.1, $0.2 + $1.2) }
            }
            let totals = try lowered.pipeline.totals()
            report(
                "R35 lowered limit:",
                [
                    "discarded": totals.discarded, "in": ContinuousClock.now - start, "its save waited": answered,
                    "concurrent saves": saves, "slowest": slowest, "submits": submits,
                ]
            )
            #expect(slowest < (isLongRun ? .seconds(3) : promptLimit))
            #expect(saves >= 10 && submits > 0)
            #expect(totals.saved == totals.records + totals.delivered + totals.discarded)
        }

        @Test func `a store's counts add up after a kill at any moment of an eviction`() async throws {
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            var random = SeededRandom(UInt64(seed))
            var kills = 0
            for round in 0..<count(3, full: 100) {
                try await fill(path, 40_000)
                let child = try Child("evict", path, "-", journal, "round\(round)", String(limit))
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...400, using: &random)))
                child.kill()
                if await child.end() != .exit(0) { kills += 1 }
                let totals = try PipelineHarness(in: path, to: nil).pipeline.totals()
                #expect(totals.saved == totals.records + totals.delivered + totals.discarded)
                let connection = try SQLiteConnection(path: path + "/kinesis.db", access: .readOnly)
                #expect(try StoredRecord.all(in: connection).count == totals.records)
                #expect(
                    try connection.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
                        == 0
                )
            }
            let store = try PipelineHarness(in: path, to: nil, byteLimit: limit)
            try await store.save("last")
            await store.pipeline.limitsEnforced()
            let totals = try store.pipeline.totals()
            report("R35 killed while evicting:", ["kills": kills, "left": totals.records, "evicted": totals.evicted])
            #expect(totals.bytes <= limit && totals.saved == totals.records + totals.evicted)
        }

        @Test func `the cost of a save does not depend on how many streams were ever used`() async throws {
            func cost(_ streams: Int) async throws -> Int {
                let directory = try TemporaryDirectory()
                let journal = directory.path("journal")
                let child = try Child("streams", directory.path("store"), "-", journal, "streams", String(streams))
                #expect(await child.end() == .exit(0))
                let note = try #require(JournalReading(journal).notes.first { $0.hasPrefix("microseconds") })
                return try #require(Int(note.split(separator: " ")[1]))
            }
            let one = try await cost(1)
            let many = try await cost(10_000)
            report("R39 streams:", ["microseconds a save with one": one, "with 10,000": many])
            #expect(many < one * (isLongRun ? 2 : 6))
        }
    }
}
