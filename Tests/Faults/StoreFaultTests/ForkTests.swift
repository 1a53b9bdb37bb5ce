import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Processes that copy themselves.
    @Suite struct Fork {
        /// What a child that copies itself wrote down, and the server that it sent to.
        private func life(_ command: String, named name: String) async throws -> (JournalReading, RecordingServer) {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let journal = directory.path("journal")
            let child = try Child(command, directory.path("store"), server.url, journal, name)
            #expect(await child.end() == .exit(0))
            return (JournalReading(journal), server)
        }

        @Test func `a copy of a process is refused its store at once, and the process itself goes on`() async throws {
            let (reading, server) = try await life("fork", named: "f")
            // Save, flush, clear, import, totals and status.
            #expect(reading.failures.count == 6, "\(reading.failures)")
            #expect(reading.failures.allSatisfy { $0.contains("was forked") })
            #expect(reading.notes == ["the copy ended with 0"])
            #expect(reading.acknowledged == ["f-before", "f-kept", "f-after"])
            #expect(server.texts == ["f-before": 1, "f-kept": 1, "f-after": 1])
            report("S17 fork after use:", ["refused": reading.failures.count, "arrived": server.texts.count])
        }

        @Test func `a copy made before the first use has a store like any process`() async throws {
            let (reading, server) = try await life("daemon", named: "d")
            #expect(reading.failures == [] && reading.notes == [])
            #expect(reading.acknowledged.count == 7)
            // The last one's submit is somebody else's.
            #expect(server.texts.count == 6 && server.duplicates == 0)
        }
    }
}
