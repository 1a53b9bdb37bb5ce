import Foundation
import RecorderEngine
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    @Suite struct Kill {
        /// Kills children at random instants while they save and submit, then delivers what is left.
        private struct Run {
            let directory: TemporaryDirectory
            let server: RecordingServer
            let journal: String
            var slowestReopening = Duration.zero
            private var lives = 0

            init(moodySeed: UInt64? = nil) throws {
                directory = try TemporaryDirectory()
                server = try RecordingServer(moodySeed: moodySeed)
                journal = directory.path("journal")
            }

            mutating func kill(_ count: Int, _ command: String, _ random: inout SeededRandom) async throws {
                for number in 0..<count {
                    let child = try Child(command, directory.path("store"), server.url, journal, "k\(lives)", "4")
                    lives += 1
                    // Every other child lives until it has acknowledged something, however busy the machine is.
                    let before = size(of: journal)
                    let patience = ContinuousClock.now + .seconds(60)
                    while number % 2 == 1, size(of: journal) == before, ContinuousClock.now < patience {
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    // The instant is the test's matter: from the child's start to well into its work.
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

            /// Acknowledged records that neither arrived nor are delivered from the store now.
            func lost() async throws -> (acknowledged: Int, lost: Int, left: Int) {
                let store = try PipelineHarness(in: directory.path("store"), to: server.url)
                var left = 0
                while try store.pipeline.totals().records > 0 { left += try await store.flush().delivered }
                let arrived = server.texts
                let acknowledged = JournalReading(journal).acknowledged
                #expect(Set(acknowledged).count == acknowledged.count)
                return (acknowledged.count, acknowledged.count { arrived[$0] == nil }, left)
            }
        }

        @Test func `a kill at any instant loses nothing acknowledged and repeats at most what was in flight`()
            async throws
        {
            var random = SeededRandom(seed)
            let kills = count(16, full: 200)
            var run = try Run()
            try await run.kill(kills, "run", &random)
            let (acknowledged, lost, left) = try await run.lost()
            let duplicates = run.server.duplicates
            report(
                "R1 kind:",
                [
                    "kills": kills, "acked": acknowledged, "lost": lost, "left": left, "duplicates": duplicates,
                    "slowest reopening": run.slowestReopening,
                ]
            )
            #expect(acknowledged >= kills / 2)
            #expect(lost == 0)
            // Two streams, each with one request of at most 500 records under way.
            #expect(duplicates <= kills * 2 * 500)
            #expect(run.slowestReopening < atOnce)
            #expect(JournalReading(run.journal).failures == [])
        }

        @Test func `a kill loses nothing either while the service fails and hangs up`() async throws {
            var random = SeededRandom(seed + 1)
            let kills = count(10, full: 200)
            var run = try Run(moodySeed: seed)
            try await run.kill(kills, "run", &random)
            let (acknowledged, lost, left) = try await run.lost()
            report(
                "R1 moody:",
                [
                    "kills": kills, "acked": acknowledged, "lost": lost, "left": left,
                    "duplicates": run.server.duplicates,
                ]
            )
            #expect(acknowledged >= kills / 2)
            #expect(lost == 0)
        }

        @Test func `control: a child that acknowledges before the commit is found out`() async throws {
            var random = SeededRandom(seed + 2)
            var run = try Run()
            var (kills, acknowledged, lost) = (0, 0, 0)
            // A kill between two commits costs nothing, so there are as many as it takes.
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
