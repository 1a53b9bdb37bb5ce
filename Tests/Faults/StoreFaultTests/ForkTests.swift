import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Processes that fork.
    @Suite struct Fork {
        /// The journal of a child that forks, and the server that it sent to.
        private func run(_ command: String, named name: String) async throws -> (JournalReading, RecordingServer) {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let journal = directory.path("journal")
            let child = try Child(command, directory.path("store"), server.url, journal, name)
            #expect(await child.end() == .exit(0))
            return (JournalReading(journal), server)
        }

        @Test func `a forked child is refused its parent's store at once, and the parent continues`() async throws {
            let (reading, server) = try await run("fork", named: "f")
            // Save, flush, clear, import, totals and status.
            #expect(reading.failures.count == 6, "\(reading.failures)")
            #expect(reading.failures.allSatisfy { $0.contains("was forked") })
            #expect(reading.notes == ["the forked child ended with 0"])
            #expect(reading.acknowledged == ["f-before", "f-kept", "f-after"])
            #expect(server.texts == ["f-before": 1, "f-kept": 1, "f-after": 1])
            report("S17 fork after use:", ["refused": reading.failures.count, "arrived": server.texts.count])
        }

        @Test func `a process forked before the first use has a working store`() async throws {
            let (reading, server) = try await run("daemon", named: "d")
            #expect(reading.failures == [] && reading.notes == [])
            #expect(reading.acknowledged.count == 7)
            // The last record is saved after the last submit.
            #expect(server.texts.count == 6 && server.duplicates == 0)
        }
    }
}
