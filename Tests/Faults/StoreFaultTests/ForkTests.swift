import Foundation
import Glibc
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

        @Test func `a forked child that outlives its killed parent holds neither its locks nor its connections`()
            async throws
        {
            let directory = try TemporaryDirectory()
            let journal = directory.path("journal")
            let server = try RecordingServer(beforeAnswer: { number in
                guard number == 0 else { return }
                _ = FileManager.default.createFile(atPath: "\(journal).requested", contents: nil)
                while JournalReading(journal).notes.isEmpty { usleep(1_000) }
            })
            let parent = try Child("fork-left", directory.path("store"), server.url, journal, "p")
            while JournalReading(journal).notes.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
            parent.kill()
            _ = await parent.end()
            let forked = try #require(JournalReading(journal).notes.first.flatMap { pid_t($0) })
            defer { kill(forked, SIGKILL) }
            func locks() throws -> [String] {
                let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(forked)/fd")
                    .compactMap {
                        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(forked)/fd/\($0)")
                    }
                return files.filter { $0.hasSuffix(".lock") || $0.hasSuffix(".submit") }
            }
            // The child may not have run yet.
            let deadline = ContinuousClock.now + .seconds(60)
            while try !locks().isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(2)) }
            #expect(try locks() == [])
            let next = try Child("submit", directory.path("store"), server.url, directory.path("next"), "n")
            #expect(await next.end() == .exit(0))
            let reading = JournalReading(directory.path("next"))
            #expect(reading.notes == [] && reading.failures == [])
            #expect(server.texts.keys.sorted() == ["p-kept"])
        }

        @Test func `a program that is started during a submit gets no file and no connection of the store`()
            async throws
        {
            let directory = try TemporaryDirectory()
            let journal = directory.path("journal")
            let server = try RecordingServer(beforeAnswer: { number in
                guard number == 0 else { return }
                _ = FileManager.default.createFile(atPath: "\(journal).requested", contents: nil)
                while JournalReading(journal).notes.isEmpty { usleep(1_000) }
            })
            let child = try Child("spawn", directory.path("store"), server.url, journal, "s")
            #expect(await child.end() == .exit(0))
            #expect(JournalReading(journal).notes == ["the program ended with 0"])
            let files = try String(contentsOfFile: "\(journal).files", encoding: .utf8).split(separator: "\n")
            #expect(files.contains { $0.hasPrefix("pipe:") }, "its standard input")
            #expect(!files.contains { $0.hasPrefix("socket:") || $0.contains(directory.path("store")) }, "\(files)")
            #expect(server.texts == ["s-kept": 1])
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
