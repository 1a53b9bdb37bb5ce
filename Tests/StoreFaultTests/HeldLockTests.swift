import Foundation
import RecorderEngine
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Somebody holds what a store needs, and may never give it back.
    @Suite struct HeldLock {
        /// Holds the lock between writers, or a transaction of SQLite's own, for some seconds.
        private func hold(_ what: String, of path: String, for seconds: Double) throws -> Process {
            let python = [
                "flock": "import fcntl; f = open('\(path).lock', 'r+'); fcntl.flock(f, fcntl.LOCK_EX)",
                "transaction": "import sqlite3; c = sqlite3.connect('\(path)'); c.execute('BEGIN IMMEDIATE')",
            ]
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c",
                "\(python[what] ?? ""); print('held', flush=True); import time; time.sleep(\(seconds))",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            _ = try output.fileHandleForReading.read(upToCount: 4)
            return process
        }

        private func elapsed(_ work: () async throws -> Void) async rethrows -> Duration {
            let start = ContinuousClock.now
            try await work()
            return ContinuousClock.now - start
        }

        @Test(arguments: ["flock", "transaction"])
        func `a save waits for a holder, no other work waits with it, and it is stored in the end`(
            what: String
        ) async throws {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let store = OpenStore(in: directory.path("store"), to: server.url)
            try await store.save("before")
            let holder = try hold(what, of: directory.path("store/kinesis.db"), for: 1.5)
            defer { kill(holder.processIdentifier, SIGKILL) }
            async let waiting = elapsed {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<64 { group.addTask { try await store.save("waits \(number)") } }
                    try await group.waitForAll()
                }
            }
            // Threads for async code are as few as processors: none of them may be among those that wait.
            let others = await elapsed {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 { group.addTask { await Task.yield() } }
                }
            }
            let waited = try await waiting
            _ = try await store.flush()
            report("R10 \(what) held:", ["save waited": waited, "other work": others, "arrived": server.texts.count])
            #expect(waited > .seconds(1) && waited < .seconds(4))
            #expect(others < .seconds(1))
            #expect(server.texts.count == 65 && server.duplicates == 0)
        }

        @Test(arguments: [("flock", 13.0, 10.0), ("transaction", 8.0, 5.0)])
        func `a save that has waited long enough fails and says for whom, and the next one works`(
            what: String,
            held: Double,
            patience: Double
        ) async throws {
            guard isPatient else { return }
            let directory = try TemporaryDirectory()
            let store = OpenStore(in: directory.path("store"), to: nil)
            try await store.save("before")
            let holder = try hold(what, of: directory.path("store/kinesis.db"), for: held)
            var message = ""
            let waited = await elapsed {
                do {
                    try await store.save("too late")
                } catch {
                    message = (error as? RecorderError)?.message ?? "\(error)"
                }
            }
            report("R10 \(what) held too long:", ["save waited": waited, "says": message])
            #expect(waited > .seconds(patience - 0.5) && waited < .seconds(patience + 1))
            #expect(message.contains("process"))
            holder.waitUntilExit()
            try await store.save("after")
            #expect(try store.pipeline.totals().records == 2)
        }

        @Test func `a submitter that is stopped is waited for, and its death hands over at once`() async throws {
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let gate = Gate()
            let server = try RecordingServer { index in if index == 0 { gate.wait() } }
            let store = OpenStore(in: path, to: server.url)
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
            #expect(takeover < .seconds(2))
            #expect(server.texts.count == 21)
            // Only the batch that was in flight.
            #expect(server.duplicates <= 20)
            #expect(try store.pipeline.totals().records == 0)
        }
    }
}
