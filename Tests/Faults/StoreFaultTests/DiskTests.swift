import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    @Suite struct Disk {
        private func smallDisk(_ directory: TemporaryDirectory) throws -> SmallDisk? {
            let disk = geteuid() == 0 ? try SmallDisk(directory, kilobytes: 2_048) : nil
            if disk == nil { print("R5 skipped: a small disk can only be mounted as root.") }
            return disk
        }

        /// Saves until the disk is full; returns what was acknowledged, and the error.
        private func saveUntilFull(_ store: PipelineHarness, _ name: String) async -> (
            texts: [String], error: any Error
        ) {
            var texts: [String] = []
            while true {
                let text = "\(name) \(texts.count) " + String(repeating: "x", count: 3_000)
                do {
                    try await store.save(text)
                    texts.append(text)
                } catch {
                    return (texts, error)
                }
            }
        }

        @Test func `a full disk is reported, no failed save is acknowledged, and free space is enough to continue`()
            async throws
        {
            let directory = try TemporaryDirectory()
            guard let disk = try smallDisk(directory) else { return }
            let server = try RecordingServer()
            let store = try PipelineHarness(in: "\(disk.path)/store", to: server.url)
            try await store.save("first")
            // Leaves about 700 KB for the records.
            let filler = open("\(disk.path)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            #expect(posix_fallocate(filler, 0, 1_024 * 1_024) == 0)
            close(filler)
            var saved = ["first"]
            let full = await saveUntilFull(store, "a")
            saved += full.texts
            let message = try #require(full.error as? RecorderError).message
            #expect(message.contains("disk is full"))
            let start = ContinuousClock.now
            await #expect(throws: RecorderError.self) { try await store.save(String(repeating: "y", count: 3_000)) }
            let refusal = ContinuousClock.now - start
            #expect(refusal < promptLimit)
            try disk.freeSomeSpace()
            try await store.save("space is back")
            saved.append("space is back")
            _ = try await store.flush()
            report(
                "R5 disk full:",
                [
                    "acked": saved.count, "arrived": server.texts.count, "duplicates": server.duplicates,
                    "refusal": refusal,
                ]
            )
            #expect(Set(server.texts.keys) == Set(saved))
            #expect(server.duplicates == 0)
        }

        @Test(arguments: [false, true])
        func `a store on a disk without a free byte can be drained`(afterRestart: Bool) async throws {
            let directory = try TemporaryDirectory()
            guard let disk = try smallDisk(directory) else { return }
            let server = try RecordingServer()
            let journal = directory.path("journal")
            var saved: [String] = []
            if afterRestart {
                // A killed process leaves its log behind. Without the shared-memory file, the next one has to create
                // it.
                let child = try Child("run", "\(disk.path)/store", "http://127.0.0.1:9", journal, "r", "4")
                while JournalReading(journal).failures.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
                child.kill()
                _ = await child.end()
                let reading = JournalReading(journal)
                #expect(reading.failures.allSatisfy { $0.contains("disk is full") }, "\(Set(reading.failures))")
                saved = reading.acknowledged
                for name in ["kinesis.db-shm"] {
                    try FileManager.default.removeItem(atPath: "\(disk.path)/store/\(name)")
                }
            }
            let store = try PipelineHarness(in: "\(disk.path)/store", to: server.url)
            if !afterRestart { saved = await saveUntilFull(store, "a").texts }
            try disk.fill()
            var delivered = 0
            for _ in 0..<3 where delivered < saved.count { delivered += try await store.flush().delivered }
            // The killed process may have stored records that it had not acknowledged yet.
            #expect(delivered >= saved.count && (afterRestart || delivered == saved.count))
            #expect(try store.pipeline.totals().records == 0)
            let lost = saved.count { server.texts[$0] == nil }
            report(
                "R6 drained at 100 % full:",
                [
                    "after restart": afterRestart, "acked": saved.count, "lost": lost, "arrived": server.texts.count,
                    "duplicates": server.duplicates,
                ]
            )
            #expect(lost == 0)
            #expect(server.duplicates == 0)
            try await store.save("there is room again")
        }

        @Test func `rejected records leave a full disk without copies, and have copies again when there is room`()
            async throws
        {
            let directory = try TemporaryDirectory()
            guard let disk = try smallDisk(directory) else { return }
            let server = try LocalServer { request, _ in
                let entry = #"{"ErrorCode":"InvalidArgumentException"}"#
                let entries = PutRequestBody(request.body).records.map { _ in entry }
                return .json(200, #"{"Records":[\#(entries.joined(separator: ","))]}"#)
            }
            let store = try PipelineHarness(in: "\(disk.path)/store", to: server.url)
            store.pipeline.configure { $0.keepsRejected = true }
            let saved = await saveUntilFull(store, "a").texts
            try disk.fill()
            for _ in 0..<3 where try store.records() > 0 { try await store.flush() }
            let status = try store.pipeline.status()
            #expect(status.totals.records == 0 && status.totals.rejected == saved.count)
            report("R6 rejected at 100 % full:", ["rejected": saved.count, "copies": status.rejectedCopies])
            try disk.freeSomeSpace()
            try await store.save("there is room again")
            try await store.flush()
            #expect(try store.pipeline.status().rejectedCopies == status.rejectedCopies + 1)
        }

        @Test func `a store on a full disk can be drained with any number of segments`() async throws {
            let directory = try TemporaryDirectory()
            guard let disk = try smallDisk(directory) else { return }
            let server = try RecordingServer()
            let store = try PipelineHarness(in: "\(disk.path)/store", to: server.url)
            for number in 0..<10 { try await store.save("\(number)") }
            do {
                // Empty tables, as deleted segments leave them behind.
                let connection = try SQLiteConnection(path: "\(disk.path)/store/kinesis.db", access: .readWrite)
                for number in 1...80 { try connection.execute("CREATE TABLE block_\(900_000_000 + number) (id)") }
                try connection.checkpoint(.truncate)
            }
            try disk.fill()
            for _ in 0..<3 where try store.pipeline.totals().records > 0 { _ = try? await store.flush() }
            #expect(try store.pipeline.totals().records == 0)
            #expect(server.texts.count == 10)
            #expect(server.duplicates == 0)
            try await store.save("there is room again")
        }

        @Test func `an unusable directory is refused with the reason, and nothing is written elsewhere`()
            async throws
        {
            let directory = try TemporaryDirectory()
            guard geteuid() == 0 else { return print("R8 skipped: only root can switch to another user.") }
            let otherUser: uid_t = 65_534
            let journal = directory.path("journal")
            chmod(directory.path, 0o755)
            _ = FileManager.default.createFile(atPath: journal, contents: nil)
            chmod(journal, 0o666)
            let asOtherUser = ["setpriv", "--reuid=\(otherUser)", "--clear-groups"]
            func messages(_ path: String) async throws -> [String] {
                let before = JournalReading(journal).failures.count
                let child = try Child(under: asOtherUser, "save", path, "-", journal, "other", "2")
                guard await child.end() == .exit(0) else { return [] }
                return Array(JournalReading(journal).failures.dropFirst(before))
            }
            func makeDirectory(_ name: String, _ owner: uid_t, _ mode: mode_t) throws -> String {
                let path = directory.path(name)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                chown(path, owner, owner)
                chmod(path, mode)
                return path
            }
            let foreign = try await messages(try makeDirectory("foreign", 0, 0o777))
            guard !foreign.isEmpty else { return print("R8 skipped: \(Child.path) cannot be run by another user.") }
            let readOnly = try await messages(try makeDirectory("readonly", otherUser, 0o555))
            let missing = try await messages(directory.path("missing/below"))
            let place = try makeDirectory("place", otherUser, 0o700)
            let obstacle = try makeDirectory("place/kinesis.db", otherUser, 0o700)
            let notAFile = try await messages(place)
            print("R8", [foreign, readOnly, missing, notAFile].map { $0.first ?? "-" })
            #expect(foreign.count == 2 && foreign.allSatisfy { $0.contains("belongs to another user") })
            #expect(readOnly.count == 2 && readOnly.allSatisfy { $0.contains("Permission denied") })
            #expect(missing.count == 2 && missing.allSatisfy { $0.contains("cannot be created") })
            #expect(notAFile.count == 2 && notAFile.allSatisfy { $0.contains("not a file") })
            #expect(JournalReading(journal).acknowledged == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("foreign")) == [])
            rmdir(obstacle)
            chmod(directory.path("readonly"), 0o755)
            #expect(try await messages(directory.path("readonly")) == [])
            #expect(JournalReading(journal).acknowledged.count == 2)
        }

        @Test func `saves continue in a new file after the directory is removed, and every acknowledged one is kept`()
            async throws
        {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let path = directory.path("store")
            var saved: [String] = []
            let store = try PipelineHarness(in: path, to: server.url)
            for round in 0..<count(5, full: 50) {
                try await store.save("before \(round)")
                try FileManager.default.removeItem(atPath: path)
                for number in 0..<3 {
                    saved.append("after \(round) \(number)")
                    try await store.save("after \(round) \(number)")
                }
                _ = try await PipelineHarness(in: path, to: server.url).flush()
            }
            let lost = saved.count { server.texts[$0] == nil }
            report("R25 directory removed:", ["acked": saved.count, "lost": lost, "duplicates": server.duplicates])
            #expect(lost == 0)
        }

        @Test func `settling a batch after its directory was removed deletes no later record`() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path("store")
            let gate = Gate()
            let server = try RecordingServer { index in if index == 0 { gate.wait() } }
            let store = try PipelineHarness(in: path, to: server.url)
            for number in 0..<5 { try await store.save("old \(number)") }
            async let report = store.flush()
            await server.received(1)
            try FileManager.default.removeItem(atPath: path)
            for number in 0..<5 { try await store.save("new \(number)") }
            gate.open()
            _ = try? await report
            _ = try await store.flush()
            #expect((0..<5).allSatisfy { server.texts["new \($0)"] != nil })
        }
    }
}
