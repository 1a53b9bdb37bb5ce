import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    @Suite struct Kill {
        /// Kills children at random moments while they save and submit, then delivers the rest.
        private struct Run {
            let directory: TemporaryDirectory
            let server: RecordingServer
            let journal: String
            var slowestReopening = Duration.zero
            private var children = 0

            init(faultSeed: UInt64? = nil) throws {
                directory = try TemporaryDirectory()
                server = try RecordingServer(faultSeed: faultSeed)
                journal = directory.path("journal")
            }

            mutating func kill(_ count: Int, _ command: String, _ random: inout SeededRandom) async throws {
                for number in 0..<count {
                    let child = try Child(command, directory.path("store"), server.url, journal, "k\(children)", "4")
                    children += 1
                    // Every other child runs until it has acknowledged something, however busy the machine is.
                    let before = size(of: journal)
                    let deadline = ContinuousClock.now + .seconds(60)
                    while number % 2 == 1, size(of: journal) == before, ContinuousClock.now < deadline {
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    // The moment of the kill is what is tested: from the child's start to well into its work.
                    try await Task.sleep(for: .milliseconds(Int.random(in: 10...220, using: &random)))
                    child.kill()
                    #expect(await child.end() == .signal(SIGKILL))
                    guard number % 4 == 0 else { continue }
                    let store = try PipelineHarness(in: directory.path("store"), to: nil)
                    let start = ContinuousClock.now
                    _ = try store.pipeline.totals()
                    slowestReopening = max(slowestReopening, ContinuousClock.now - start)
                }
            }

            private func size(of path: String) -> Int {
                (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
            }

            /// Counts the acknowledged records that neither arrived nor are delivered from the store now.
            ///
            /// A consumer that drops repeats by their keys gets each of them once, and no gap is left.
            func lost() async throws -> (acknowledged: Int, lost: Int, left: Int) {
                let store = try PipelineHarness(in: directory.path("store"), to: server.url)
                var left = 0
                while try store.pipeline.totals().records > 0 { left += try await store.flush().delivered }
                let arrived = server.texts
                let acknowledged = JournalReading(journal).acknowledged
                #expect(Set(acknowledged).count == acknowledged.count)
                let (texts, gaps) = server.accounted()
                #expect(Set(texts).count == texts.count && gaps.isEmpty)
                report("after RecordAccounting:", ["read": texts.count, "gaps": gaps.count])
                return (acknowledged.count, acknowledged.count { arrived[$0] == nil }, left)
            }
        }

        /// Records that each have an entry of their own, or share entries.
        private static let commands = ["run", "run-shared"]

        @Test(arguments: commands)
        func `a kill at any moment loses no acknowledged record and repeats at most the batches in flight`(
            command: String
        ) async throws {
            var random = SeededRandom(seed)
            let kills = count(16, full: 200)
            var run = try Run()
            try await run.kill(kills, command, &random)
            let (acknowledged, lost, left) = try await run.lost()
            let duplicates = run.server.duplicates
            report(
                "R1 healthy service, \(command):",
                [
                    "kills": kills, "acked": acknowledged, "lost": lost, "left": left, "duplicates": duplicates,
                    "slowest reopening": run.slowestReopening,
                ]
            )
            #expect(acknowledged >= kills / 2)
            #expect(lost == 0)
            // Two streams, each with one request of at most 500 records, or 512 KiB of them, under way.
            #expect(duplicates <= kills * 2 * (command == "run" ? 500 : 20_000))
            #expect(run.slowestReopening < promptLimit)
            #expect(JournalReading(run.journal).failures == [])
        }

        @Test(arguments: commands)
        func `a kill loses no acknowledged record while the service fails and drops connections`(
            command: String
        ) async throws {
            var random = SeededRandom(seed + 1)
            let kills = count(10, full: 200)
            var run = try Run(faultSeed: seed)
            try await run.kill(kills, command, &random)
            let (acknowledged, lost, left) = try await run.lost()
            report(
                "R1 faulty service, \(command):",
                [
                    "kills": kills, "acked": acknowledged, "lost": lost, "left": left,
                    "duplicates": run.server.duplicates,
                ]
            )
            #expect(acknowledged >= kills / 2)
            #expect(lost == 0)
        }

        @Test func `control: a child that acknowledges before the commit is detected`() async throws {
            var random = SeededRandom(seed + 2)
            var run = try Run()
            var (kills, acknowledged, lost) = (0, 0, 0)
            // A kill between two commits loses nothing, so children are killed until a record is lost.
            while lost == 0, kills < 80 {
                try await run.kill(8, "early", &random)
                kills += 8
                (acknowledged, lost, _) = try await run.lost()
            }
            report("R1 control:", ["kills": kills, "acked": acknowledged, "lost": lost])
            #expect(lost > 0)
        }
    }
}
