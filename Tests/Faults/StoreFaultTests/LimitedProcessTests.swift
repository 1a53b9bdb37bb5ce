import Foundation
import RecorderSQLite
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Processes whose resource limits are too low.
    @Suite struct LimitedProcess {
        @Test func `a save beyond the file size limit fails with its reason, and is not acknowledged`()
            async throws
        {
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            // The limit holds for the journal, too, which gets a line for each save that fails.
            // The limit's signal is ignored: by default it kills the process, which other tests cover.
            // The thread sanitizer maps a temporary file. The limit would truncate it and end the child with SIGBUS, so
            // TMPDIR gives it no directory for one.
            let limited = ["sh", "-c", #"trap "" XFSZ; ulimit -f 140; TMPDIR=/nowhere exec "$@""#, "sh"]
            let child = try Child(under: limited, "save", path, "-", journal, "limited", "600")
            #expect(await child.end() == .exit(0))
            let reading = JournalReading(journal)
            #expect(!reading.acknowledged.isEmpty && !reading.failures.isEmpty)
            #expect(reading.acknowledged.count + reading.failures.count == 600)
            #expect(reading.failures.allSatisfy { $0.contains(path) })
            let lost = try await lostAfter(reading, path)
            report(
                "R7 file size:",
                ["acked": reading.acknowledged.count, "refused": reading.failures.count, "lost": lost]
            )
            #expect(lost == 0)
        }

        @Test(.enabled(if: OtherUser.runsPrograms, "the limit does not hold for root"))
        func
            `without threads, calls fail that need one, a submit under way goes on, and everything works when there are some`()
            async throws
        {
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            OtherUser.give(directory.path)
            let server = try RecordingServer(beforeAnswer: { number in
                guard number == 0 else { return }
                _ = FileManager.default.createFile(atPath: "\(journal).requested", contents: nil)
                while !JournalReading(journal).notes.contains("without threads") { usleep(1_000) }
            })
            let child = try Child(under: OtherUser.prefix, "threads", path, server.url, journal, "t")
            #expect(await child.end() == .exit(0))
            let reading = JournalReading(journal)
            // A save, a submit and a removal.
            #expect(reading.failures.count == 3, "\(reading.failures)")
            #expect(reading.failures.allSatisfy { $0.contains("no further thread") && $0.contains("ulimit -u") })
            #expect(reading.notes == ["0 records", "without threads"])
            #expect(reading.acknowledged == ["kept", "after"])
            #expect(server.texts == ["kept": 1, "after": 1])
        }

        @Test func `with too few descriptors an operation fails with its reason, and is not acknowledged`()
            async throws
        {
            var (runs, acknowledged, refused, lost) = (0, 0, 0, 0)
            for descriptors in stride(from: 8, through: 32, by: isLongRun ? 1 : 4) {
                let directory = try TemporaryDirectory()
                let server = try RecordingServer()
                let (path, journal) = (directory.path("store"), directory.path("journal"))
                let child = try Child(
                    under: ["prlimit", "--nofile=\(descriptors)"],
                    "cycle",
                    path,
                    server.url,
                    journal,
                    "c"
                )
                let watch = Task {
                    try await Task.sleep(for: .seconds(120))
                    child.kill()
                }
                let end = await child.end()
                watch.cancel()
                // With fewer, libdispatch may get none for its event loop and trap, which is a crash like any other.
                #expect(end == .exit(0) || descriptors < 20, "\(descriptors) descriptors: \(end)")
                let reading = JournalReading(journal)
                runs += 1
                acknowledged += reading.acknowledged.count
                refused += reading.failures.count + reading.notes.count
                lost += try await lostAfter(reading, path, server)
            }
            report(
                "R7 descriptors:",
                ["runs": runs, "acked": acknowledged, "errors seen": refused, "lost": lost]
            )
            #expect(lost == 0)
            #expect(acknowledged > 0 && refused > 0)
        }

        @Test func `a process that runs out of memory loses no acknowledged record`() async throws {
            guard !isSanitized else { return print("R7 skipped: a sanitizer reports that memory runs out.") }
            var random = SeededRandom(seed + 7)
            var (ends, acknowledged, refused, lost) = ([Child.End: Int](), 0, 0, 0)
            for run in 0..<count(6, full: 60) {
                let directory = try TemporaryDirectory()
                let server = try RecordingServer()
                let (path, journal) = (directory.path("store"), directory.path("journal"))
                // With little memory a process may end before its first save.
                let kilobytes = "\(run == 0 ? 250_000 : Int.random(in: 2_000...90_000, using: &random))"
                let quiet = ["env", "SWIFT_BACKTRACE=enable=no"]
                let child = try Child(under: quiet, "starve", path, server.url, journal, "s", kilobytes)
                let watch = Task {
                    try await Task.sleep(for: .seconds(60))
                    child.kill()
                }
                ends[await child.end(), default: 0] += 1
                watch.cancel()
                let reading = JournalReading(journal)
                acknowledged += reading.acknowledged.count
                refused += reading.failures.count + reading.notes.count
                lost += try await lostAfter(reading, path, server)
            }
            report("R7 memory:", ["ends": ends, "acked": acknowledged, "errors seen": refused, "lost": lost])
            #expect(lost == 0)
            #expect(acknowledged > 0)
        }

        /// Counts the acknowledged records that neither arrived nor are delivered by the next program.
        private func lostAfter(_ reading: JournalReading, _ path: String, _ server: RecordingServer? = nil) async throws
            -> Int
        {
            let server = try server ?? RecordingServer()
            let store = try PipelineHarness(in: path, to: server.url)
            try await store.save("next")
            _ = try await store.flush()
            let connection = try SQLiteConnection(path: "\(path)/kinesis.db", access: .readOnly)
            let check = try connection.prepare("PRAGMA integrity_check")
            #expect(try check.step() && check.text(at: 0) == "ok")
            #expect(server.texts["next"] == 1)
            return reading.acknowledged.count { server.texts[$0] == nil }
        }
    }
}
