import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    @Suite struct ManyProcesses {
        @Test func `sixteen processes share a store under random kills and lose nothing`() async throws {
            var random = SeededRandom(seed + 10)
            let duration = Duration.seconds(seconds(6, full: 600))
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            var names = 0
            func start() throws -> Child {
                names += 1
                return try Child("run", path, server.url, journal, "p\(names)", "1")
            }
            var children = try (0..<16).map { _ in try start() }
            var kills = 0
            var largestLog = 0
            let end = ContinuousClock.now + duration
            while ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...200, using: &random)))
                let victim = Int.random(in: children.indices, using: &random)
                children[victim].kill()
                _ = await children[victim].end()
                children[victim] = try start()
                kills += 1
                let log = try? FileManager.default.attributesOfItem(atPath: "\(path)/kinesis.db-wal")[.size] as? Int
                largestLog = max(largestLog, log ?? 0)
            }
            for child in children {
                child.kill()
                _ = await child.end()
            }
            let lost = try await lostAfterDraining(path, server, journal)
            let reading = JournalReading(journal)
            report(
                "R11 sixteen processes:",
                [
                    "seconds": duration, "kills": kills, "acked": reading.acknowledged.count, "lost": lost,
                    "failures": reading.failures.count, "largest WAL": largestLog, "duplicates": server.duplicates,
                ]
            )
            #expect(lost == 0)
            let (texts, gaps) = server.accounted()
            report(
                "R11 after RecordAccounting:",
                ["read": texts.count, "repeats": texts.count - Set(texts).count, "gaps": gaps.count]
            )
            #expect(Set(texts).count == texts.count && gaps.isEmpty)
            #expect(reading.failures.isEmpty, "\(Set(reading.failures))")
            #expect(reading.notes.isEmpty, "\(Set(reading.notes))")
            #expect(try integrity(path) == "ok")
            #expect(largestLog <= 16 * 1_024 * 1_024)
        }

        @Test func `short-lived processes lose no record of a long-lived one`() async throws {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let longLived = try PipelineHarness(in: path, to: server.url)
            var saved: [String] = []
            for round in 0..<count(8, full: 100) {
                saved.append("longLived-\(round)-before")
                try await longLived.save("longLived-\(round)-before")
                // A submit also inspects the store's files, which must not release SQLite's locks on them.
                _ = try await longLived.flush()
                let other = try Child("save", path, "-", journal, "other-\(round)", "3")
                #expect(await other.end() == .exit(0))
                saved.append("longLived-\(round)-after")
                try await longLived.save("longLived-\(round)-after")
            }
            saved += JournalReading(journal).acknowledged
            let last = try Child("submit", path, server.url, journal, "last")
            #expect(await last.end() == .exit(0))
            let arrived = server.texts
            let lost = saved.count { arrived[$0] == nil }
            report("R11 short-lived processes:", ["acked": saved.count, "lost": lost, "duplicates": server.duplicates])
            #expect(lost == 0)
            #expect(server.duplicates == 0)
            #expect(try integrity(path) == "ok")
        }

        @Test func `four processes that submit at once send nothing twice`() async throws {
            let records = count(1_500, full: 10_000)
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let store = try PipelineHarness(in: path, to: nil)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<records { group.addTask { try await store.save("record \(number)") } }
                try await group.waitForAll()
            }
            let children = try (0..<4).map { try Child("submit", path, server.url, journal, "s\($0)") }
            for child in children { #expect(await child.end() == .exit(0)) }
            let reading = JournalReading(journal)
            report(
                "R12 four submitters:",
                ["records": records, "arrived": server.texts.count, "duplicates": server.duplicates]
            )
            #expect(server.texts.count == records)
            #expect(server.duplicates == 0)
            #expect(reading.failures.isEmpty && reading.notes.isEmpty)
            #expect(try store.pipeline.totals().records == 0)
        }

        private func lostAfterDraining(_ path: String, _ server: RecordingServer, _ journal: String) async throws -> Int
        {
            let store = try PipelineHarness(in: path, to: server.url)
            _ = try await store.flush()
            #expect(try store.pipeline.totals().records == 0)
            let arrived = server.texts
            return JournalReading(journal).acknowledged.count { arrived[$0] == nil }
        }

        private func integrity(_ path: String) throws -> String {
            let connection = try SQLiteConnection(path: "\(path)/kinesis.db", access: .readOnly)
            let check = try connection.prepare("PRAGMA integrity_check")
            return try check.step() ? check.text(at: 0) : "nothing"
        }
    }
}
