import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Opens stores that earlier versions wrote, which upgrades them, under faults. Afterwards the next program counts their records,
    /// and delivers each once and in order.
    @Suite struct Upgrade {
        /// The calls of an opening that change a file.
        private static let writes = ["pwrite64", "fdatasync", "ftruncate", "fallocate", "unlink"]
        /// The calls between which a kill leaves different files or locks behind.
        private static let steps = writes + ["openat", "flock", "fcntl", "mmap", "close"]

        @Test(arguments: OlderStore.allCases, ["signal=KILL", "error=EIO", "error=ENOSPC"])
        func `a fault at any call of an upgrade loses and repeats no record`(store: OlderStore, fault: String)
            async throws
        {
            guard try canInject() else { return print("R47 skipped: strace is not installed or not permitted.") }
            var random = SeededRandom(seed + 60)
            let isKill = fault == "signal=KILL"
            var (points, refused) = (0, 0)
            for call in isKill ? Self.steps : Self.writes {
                var number = 1
                while let failures = try await open(store, failing: call, fault, number) {
                    points += 1
                    refused += failures.count
                    number += isFull ? 1 : Int.random(in: 1...(isLongRun ? 3 : 9), using: &random)
                }
            }
            report("R47 \(store) \(fault):", ["points": points, "errors seen": refused])
            #expect(points > 3)
            #expect(isKill == (refused == 0))
        }

        /// Opens the store in a child whose call `number` fails, then delivers its records. Returns the child's errors; nil if there
        /// is no such call.
        private func open(_ store: OlderStore, failing call: String, _ fault: String, _ number: Int) async throws
            -> [String]?
        {
            let directory = try TemporaryDirectory()
            let (path, journal, trace) = (directory.path("store"), directory.path("journal"), directory.path("trace"))
            try store.write(to: path)
            var strace = [
                "strace", "-f", "-qq", "-o", trace, "-e", "trace=\(call)", "-e",
                "inject=\(call):\(fault):when=\(number)",
            ]
            for suffix in ["", "-wal", "-shm", ".lock", ".reserve"] { strace += ["-P", "\(path)/kinesis.db\(suffix)"] }
            let child = try Child(under: strace, "open", path, "-", journal, "victim")
            let end = await child.end()
            let seen = (try? String(contentsOfFile: trace, encoding: .utf8)) ?? ""
            guard seen.contains("(INJECTED)") || end == .signal(SIGKILL) else { return nil }
            let details = "\(call) \(number) \(fault)"
            let reading = JournalReading(journal)
            #expect(end == (fault == "signal=KILL" ? .signal(SIGKILL) : .exit(0)), "\(details)")
            #expect(reading.notes.allSatisfy { $0 == "records 51" }, "\(details): \(reading.notes)")
            try await expectDelivery(of: path, details)
            return reading.failures
        }

        @Test(arguments: OlderStore.allCases)
        func `processes that open an older store at the same time upgrade it once, and all of them work`(
            store: OlderStore
        ) async throws {
            // The first one to open it holds the lock for longer, so that the others wait for its upgrade.
            let slowly = [
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e",
                "inject=fdatasync:delay_enter=100000",
            ]
            let rounds = count(3, full: 60)
            for round in 0..<rounds {
                let directory = try TemporaryDirectory()
                let server = try RecordingServer()
                let (path, journal) = (directory.path("store"), directory.path("journal"))
                try store.write(to: path)
                let isSlow = round % 2 == 0 ? try canInject() : false
                let children = try ["save", "submit", "save", "submit"].enumerated().map { number, command in
                    try Child(under: isSlow ? slowly : [], command, path, server.url, journal, "\(number)", "3")
                }
                for child in children { #expect(await child.end() == .exit(0)) }
                let reading = JournalReading(journal)
                #expect(reading.failures == [] && reading.notes == [])
                #expect(reading.acknowledged.count == 6)
                try await expectDelivery(of: path, to: server, with: reading.acknowledged, "round \(round)")
            }
            report("R47 \(store) opened by several:", ["rounds": rounds])
        }

        /// Checks that each record of the older store is delivered once and in order, and `saved` and a new one, too.
        private func expectDelivery(
            of path: String,
            to server: RecordingServer? = nil,
            with saved: [String] = [],
            _ details: String
        ) async throws {
            let isUntouched = server == nil
            let server = try server ?? RecordingServer()
            let store = try PipelineHarness(in: path, to: server.url)
            let before = try store.pipeline.totals()
            #expect(before.saved == OlderStore.saved + saved.count, "\(details)")
            if isUntouched { #expect(before.records == 51 && before.delivered == OlderStore.delivered, "\(details)") }
            try await store.save("new", to: "b")
            _ = try await store.flush()
            for (stream, texts) in OlderStore.waiting {
                #expect(server.texts(of: stream) == texts + (stream == "b" ? ["new"] : []), "\(details)")
            }
            #expect(server.texts(of: "stream").sorted() == saved.sorted(), "\(details)")
            #expect(try store.pipeline.totals().records == 0, "\(details)")
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(!names.contains { $0.contains(".damaged-") }, "\(details): \(names)")
            let file = try SQLiteConnection(path: "\(path)/kinesis.db", access: .readOnly)
            #expect(try file.integer("PRAGMA user_version") == 4, "\(details)")
            let check = try file.prepare("PRAGMA integrity_check")
            #expect(try check.step() && check.text(at: 0) == "ok", "\(details)")
        }
    }
}
