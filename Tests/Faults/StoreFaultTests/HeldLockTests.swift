import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Another process holds a lock that the store needs, and may never release it.
    @Suite struct HeldLock {
        /// A process that holds a lock until the time is over or it is released.
        private struct Holder {
            let process = Process()
            let end: ProcessEnd
            private let input = Pipe()

            /// Holds the store's write lock file, or a SQLite write transaction.
            init(_ what: String, of path: String, for seconds: Double) throws {
                let python = [
                    "flock": "import fcntl; f = open('\(path).lock', 'r+'); fcntl.flock(f, fcntl.LOCK_EX)",
                    "transaction": "import sqlite3; c = sqlite3.connect('\(path)'); c.execute('BEGIN IMMEDIATE')",
                ]
                let wait = "import select, sys; select.select([sys.stdin], [], [], \(seconds))"
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments = ["python3", "-c", "\(python[what] ?? ""); print('held', flush=True); \(wait)"]
                let output = Pipe()
                process.standardInput = input
                process.standardOutput = output
                end = try ProcessEnd(starting: process)
                _ = try output.fileHandleForReading.read(upToCount: 4)
            }

            func release() throws { try input.fileHandleForWriting.close() }
        }

        private final class Count: Sendable {
            let value = Locked(0)
        }

        private func elapsed(_ work: () async throws -> Void) async rethrows -> Duration {
            let start = ContinuousClock.now
            try await work()
            return ContinuousClock.now - start
        }

        @Test(arguments: ["flock", "transaction"])
        func `a save waits for a lock's holder without blocking other work, and is stored in the end`(
            what: String
        ) async throws {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let store = try PipelineHarness(in: directory.path("store"), to: server.url)
            try await store.save("before")
            let holder = try Holder(what, of: directory.path("store/kinesis.db"), for: 60)
            defer { kill(holder.process.processIdentifier, SIGKILL) }
            let stored = Count()
            let waiting = (0..<64).map { number in
                Task {
                    try await store.save("waits \(number)")
                    stored.value.withLock { $0 += 1 }
                }
            }
            // Swift's pool has one thread per processor. If the saves blocked those threads, this would not finish
            // before the saves time out.
            try await Task.sleep(for: .milliseconds(500))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<64 { group.addTask { await Task.yield() } }
            }
            let early = stored.value.withLock { $0 }
            try holder.release()
            for save in waiting { try await save.value }
            _ = try await store.flush()
            report("R10 \(what) held:", ["stored early": early, "arrived": server.texts.count])
            #expect(early == 0)
            #expect(server.texts.count == 65 && server.duplicates == 0)
        }

        @Test(arguments: [("flock", 13.0, 10.0), ("transaction", 8.0, 5.0)])
        func `a save that times out says what it waited for, and the next one works`(
            what: String,
            held: Double,
            timeout: Double
        ) async throws {
            guard isLongRun else { return }
            let directory = try TemporaryDirectory()
            let store = try PipelineHarness(in: directory.path("store"), to: nil)
            try await store.save("before")
            let holder = try Holder(what, of: directory.path("store/kinesis.db"), for: held)
            var message = ""
            let waited = await elapsed {
                do {
                    try await store.save("too late")
                } catch {
                    message = (error as? RecorderError)?.message ?? "\(error)"
                }
            }
            report("R10 \(what) held too long:", ["save waited": waited, "says": message])
            #expect(waited > .seconds(timeout - 0.5) && waited < .seconds(timeout + 1))
            #expect(message.contains("process"))
            await holder.end.finished()
            try await store.save("after")
            #expect(try store.pipeline.totals().records == 2)
        }

        @Test func `a flush waits for a stopped submitter, and takes over as soon as it dies`() async throws {
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let gate = Gate()
            let server = try RecordingServer { index in if index == 0 { gate.wait() } }
            let store = try PipelineHarness(in: path, to: server.url)
            for number in 0..<20 { try await store.save("record \(number)") }
            let child = try Child("submit", path, server.url, journal, "holder")
            await server.received(1)
            kill(child.id, SIGSTOP)
            let flush = Task { try await store.flush() }
            // Saves need no lease.
            let save = try await elapsed { try await store.save("meanwhile") }
            child.kill()
            _ = await child.end()
            gate.open()
            let takeover = try await elapsed { _ = try await flush.value }
            _ = try await store.flush()
            FaultRows.report(
                "R12 holder stopped, then killed:",
                ["takeover": takeover, "save meanwhile": save, "duplicates": server.duplicates]
            )
            #expect(takeover < promptLimit)
            #expect(server.texts.count == 21)
            // Only the batch that was in flight.
            #expect(server.duplicates <= 20)
            #expect(try store.pipeline.totals().records == 0)
        }
    }
}
