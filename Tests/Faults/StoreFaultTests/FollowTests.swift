import Foundation
import RecorderConcurrency
import RecorderSQLite
import RecorderTestSupport
import Testing

extension FaultRows {
    /// Follows files that are written and rotated, under faults. Afterwards each line is in the store once.
    @Suite struct Follow {
        /// A log, the store of its lines, and the followers. Of files that exist when they are followed for the first time, those
        /// that were rotated away are not read; so a follower is there before the first line is written.
        private struct Run {
            let directory: TemporaryDirectory
            let writer: LineWriter
            let store: String

            init(store: String? = nil) throws {
                directory = try TemporaryDirectory()
                self.store = store ?? directory.path("store")
                writer = try LineWriter(directory.path("log"))
            }

            func follow(under prefix: [String] = [], into store: String? = nil) throws -> Child {
                let program = "\(BuiltProgram.directory)/kinesis-recorder"
                let options = ["--limit", "0", "--quiet", "--directory", store ?? self.store]
                return try Child(
                    under: prefix + [program, "follow", "app"] + options,
                    program: writer.path
                )
            }

            /// Starts a follower, and then the writing, once the follower has stored that it follows the file.
            func begin(under prefix: [String] = [], beforeWriting: () throws -> Void = {}) async throws -> Child {
                let follower = try follow(under: prefix)
                // A reader that came before the follower would create its log, unseen by a library that records the follower's
                // files.
                let log = "\(store)/kinesis.db-wal"
                while !FileManager.default.fileExists(atPath: log) || number("SELECT count(*) FROM file_position") == 0
                {
                    try await Task.sleep(for: .milliseconds(5))
                }
                try beforeWriting()
                writer.start()
                return follower
            }

            /// Kills followers at random moments.
            func kill(_ count: Int, _ random: inout SeededRandom) async throws {
                var next: Child? = try await begin()
                for _ in 0..<count {
                    let follower = if let next { next } else { try follow() }
                    next = nil
                    // The moment of the kill is what is tested: from the start to well into its work.
                    try await Task.sleep(for: .milliseconds(Int.random(in: 5...350, using: &random)))
                    follower.kill()
                    #expect(await follower.end() == .signal(SIGKILL))
                }
            }

            /// Follows the files until all lines are stored, or no more are for a while, and stops the follower.
            func finish(_ lines: Int, into store: String? = nil) async throws -> (lost: Int, repeated: Int) {
                let store = store ?? self.store
                let follower = try follow(into: store)
                let deadline = ContinuousClock.now + .seconds(120)
                while records(in: store) < lines, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(20))
                }
                follower.terminate()
                #expect(await follower.end() == .exit(0))
                return try counts(lines, in: store)
            }

            /// The number of records in a store, read without changing it.
            func records(in store: String? = nil) -> Int {
                number("SELECT records FROM stream WHERE number = 0", in: store)
            }

            /// The result of a query; 0 if there is none.
            private func number(_ query: String, in store: String? = nil) -> Int {
                let path = "\(store ?? self.store)/kinesis.db"
                guard let connection = try? SQLiteConnection(path: path, access: .readOnly) else { return 0 }
                return Int((try? connection.integer(query)) ?? 0)
            }

            private func settings(_ server: RecordingServer) -> [String] {
                [
                    "env", "AWS_REGION=us-east-1", "AWS_ENDPOINT_URL=\(server.url)", "AWS_ACCESS_KEY_ID=x",
                    "AWS_SECRET_ACCESS_KEY=x", "no_proxy=127.0.0.1",
                ]
            }

            /// Sends the store, and returns how many lines arrived that have keys of their own, and how often one came under
            /// another key.
            func arrived() async throws -> (lines: Int, repeated: Int) {
                let server = try RecordingServer()
                let submit = try Child(
                    under: settings(server),
                    program: "\(BuiltProgram.directory)/kinesis-recorder",
                    arguments: ["submit", "--quiet", "--directory", store]
                )
                #expect(await submit.end() == .exit(0))
                let (texts, gaps) = server.accounted()
                #expect(gaps.isEmpty)
                return (texts.count, texts.count - Set(texts).count)
            }

            /// Follows the files into the store in a directory, and sends it, until the last line has arrived and nothing is left.
            func send(
                _ lines: Int,
                from directory: TemporaryDirectory
            ) async throws -> (lost: Int, reportedLost: Int, repeated: Int, errors: String) {
                let server = try RecordingServer()
                let (store, log) = (directory.path("store"), directory.path("errors"))
                let follower = try Child(
                    under: settings(server) + ["sh", "-c", "exec \"$@\" 2> '\(log)'", "sh"],
                    program: "\(BuiltProgram.directory)/kinesis-recorder",
                    arguments: ["follow", "app", writer.path, "--submit", "--limit", "0", "--directory", store]
                )
                let deadline = ContinuousClock.now + .seconds(60)
                func isDone() -> Bool { server.texts["\(lines) late"] != nil && records(in: store) == 0 }
                while !isDone(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
                follower.terminate()
                #expect(await follower.end() == .exit(0))
                let errors = try String(contentsOfFile: log, encoding: .utf8)
                // A batch that was sent when the damage was found is sent again, under the same keys.
                let texts = server.accounted().texts
                let arrived = Set(texts.map { text in Int(text.prefix { $0 != " " }) ?? 0 })
                #expect(arrived.allSatisfy((1...lines).contains))
                let lost = Set(1...lines).subtracting(arrived).count
                let reports = errors.matches(of: /([0-9,]+) records? could not be read/).map { $0.1 }
                let reported = reports.reduce(0) { $0 + (Int($1.filter { $0 != "," }) ?? 0) }
                return (
                    lost, errors.contains("how many could not be read is unknown") ? lines : reported,
                    texts.count - arrived.count, errors
                )
            }

            func counts(_ lines: Int, in store: String) throws -> (lost: Int, repeated: Int) {
                let stored = try StoredRecord.all(at: "\(store)/kinesis.db").map { record in
                    Int(String(decoding: record.data, as: UTF8.self).prefix { $0 != " " }) ?? 0
                }
                #expect(stored.allSatisfy((1...lines).contains))
                return (Set(1...lines).subtracting(stored).count, stored.count - Set(stored).count)
            }
        }

        @Test func `kills of the follower lose and repeat no line, while its file is rotated`() async throws {
            var random = SeededRandom(seed + 70)
            let kills = count(12, full: 2_000)
            let run = try Run()
            try await run.kill(kills, &random)
            let lines = await run.writer.end()
            let (lost, repeated) = try await run.finish(lines)
            let arrived = try await run.arrived()
            report(
                "R61 kills:",
                ["kills": kills, "lines": lines, "lost": lost, "repeated": repeated, "arrived": arrived.lines]
            )
            #expect(lines > kills)
            #expect(lost == 0)
            #expect(repeated == 0)
            #expect(arrived == (lines, 0))
        }

        @Test func `followers that share a file lose and repeat no line, whichever of them is killed`() async throws {
            var random = SeededRandom(seed + 72)
            let kills = count(12, full: 500)
            let run = try Run()
            var followers = [try await run.begin()]
            while followers.count < 3 { followers.append(try run.follow()) }
            for _ in 0..<kills {
                // The moment of the kill is what is tested.
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...150, using: &random)))
                let follower = followers.remove(at: Int.random(in: 0..<followers.count, using: &random))
                follower.kill()
                #expect(await follower.end() == .signal(SIGKILL))
                followers.append(try run.follow())
            }
            let lines = await run.writer.end()
            for follower in followers {
                follower.terminate()
                #expect(await follower.end() == .exit(0))
            }
            let (lost, repeated) = try await run.finish(lines)
            report("R61 shared:", ["kills": kills, "lines": lines, "lost": lost, "repeated": repeated])
            #expect(lost == 0)
            #expect(repeated == 0)
        }

        @Test func `control: kills of tail and save lose or repeat lines`() async throws {
            let run = try Run()
            run.writer.start()
            let program = "\(BuiltProgram.directory)/kinesis-recorder"
            let pipe = "exec 2> /dev/null; tail -n +1 -F \(run.writer.path) | \(program) save app -q -d \(run.store)"
            for _ in 0..<3 {
                let tail = try Child(under: ["setsid", "sh", "-c"], program: pipe)
                let before = run.records()
                while run.records() == before { try await Task.sleep(for: .milliseconds(5)) }
                kill(-tail.id, SIGKILL)
                _ = await tail.end()
            }
            let lines = await run.writer.end()
            let (lost, repeated) = try run.counts(lines, in: run.store)
            report("R61 control:", ["lines": lines, "lost": lost, "repeated": repeated])
            #expect(lost + repeated > 0)
        }

        @Test func `a power cut loses and repeats no line`() async throws {
            guard let shim = try PreloadedLibrary.powerLog.get().path else {
                return print("R61 power cuts skipped: no C compiler.")
            }
            var random = SeededRandom(seed + 71)
            let directory = try TemporaryDirectory()
            let root = directory.path("disk")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
            let run = try Run(store: "\(root)/state/store")
            let output = directory.path("log")
            var bytesBefore = 0
            let logged = try await run.begin(
                under: [
                    "env", "LD_PRELOAD=\(shim)", "POWERLOG_DIRECTORY=\(root)",
                    "POWERLOG_JOURNAL=\(directory.path("none"))", "POWERLOG_OUTPUT=\(output)",
                ]
            ) {
                let attributes = try FileManager.default.attributesOfItem(atPath: output)
                bytesBefore = attributes[.size] as? Int ?? 0
            }
            while run.records() < count(1_500, full: 10_000) { try await Task.sleep(for: .milliseconds(5)) }
            logged.terminate()
            #expect(await logged.end() == .exit(0))
            let lines = await run.writer.end()
            let log = try PowerLog(output)
            let events = log.events
            let first = log.ends.count { $0 <= bytesBefore } + 1
            try #require(events.count > first + 25)
            let cuts = (0..<count(6, full: 200)).map { _ in Int.random(in: first..<events.count, using: &random) }
                .sorted()
            var (disk, next, lost, repeated) = (CutDisk(root: root), 0, 0, 0)
            for cut in cuts {
                for event in events[next..<cut] { disk.apply(event) }
                next = cut
                let left = try TemporaryDirectory()
                try disk.write(to: left.path("disk"), root: root, &random)
                let counts = try await run.finish(lines, into: left.path("disk/state/store"))
                (lost, repeated) = (lost + counts.lost, repeated + counts.repeated)
            }
            report("R61 power cuts:", ["cuts": cuts.count, "lines": lines, "lost": lost, "repeated": repeated])
            #expect(lost == 0)
            #expect(repeated == 0)
        }

        @Test func `on a full disk the follower waits, and then loses and repeats no line`() async throws {
            let directory = try TemporaryDirectory()
            guard geteuid() == 0, let disk = try SmallDisk(directory, kilobytes: 2_048) else {
                return print("R61 full disk skipped: a small disk can only be mounted as root.")
            }
            let run = try Run(store: "\(disk.path)/store")
            let follower = try await run.begin()
            while run.records() < 100 { try await Task.sleep(for: .milliseconds(5)) }
            try disk.fill()
            // Until some lines find no room.
            var before = -1
            while run.records() > before {
                before = run.records()
                try await Task.sleep(for: .seconds(2))
            }
            let lines = await run.writer.end()
            try disk.freeSomeSpace()
            let deadline = ContinuousClock.now + .seconds(60)
            while run.records() < lines, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
            follower.terminate()
            #expect(await follower.end() == .exit(0))
            let (lost, repeated) = try run.counts(lines, in: run.store)
            report("R61 full disk:", ["lines": lines, "lost": lost, "repeated": repeated])
            #expect(lines > before)
            #expect(lost == 0)
            #expect(repeated == 0)
        }

        @Test func `a file that appears on a full disk is held open, and read once there is space`() async throws {
            let directory = try TemporaryDirectory()
            guard geteuid() == 0, let disk = try SmallDisk(directory, kilobytes: 2_048) else {
                return print("R61 new file on a full disk skipped: a small disk can only be mounted as root.")
            }
            let (store, log) = ("\(disk.path)/store", directory.path("app.log"))
            func write(_ text: String, to path: String) throws {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            }
            func stored() throws -> [String] {
                try StoredRecord.all(at: "\(store)/kinesis.db").map { String(decoding: $0.data, as: UTF8.self) }
            }
            try write("old\n", to: "\(log).1")
            try write("1\n", to: log)
            let follower = try Child(
                program: "\(BuiltProgram.directory)/kinesis-recorder",
                arguments: ["follow", "app", log, "--limit", "0", "--quiet", "--directory", store]
            )
            let deadline = ContinuousClock.now + .seconds(60)
            func waitUntil(_ condition: () throws -> Bool) async throws {
                while try !condition(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
            }
            try await waitUntil { (try? stored()) == ["1"] }
            try disk.fill()
            // A rotation: the position of the deleted file cannot be removed from the store.
            try FileManager.default.removeItem(atPath: "\(log).1")
            #expect(rename(log, "\(log).1") == 0)
            try write("2\n", to: log)
            let descriptors = "/proc/\(follower.id)/fd"
            try await waitUntil {
                try FileManager.default.contentsOfDirectory(atPath: descriptors).contains {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")) == log
                }
            }
            try FileManager.default.removeItem(atPath: log)
            try disk.freeSomeSpace()
            try await waitUntil { try stored().count == 2 }
            follower.terminate()
            #expect(await follower.end() == .exit(0))
            #expect(try stored() == ["1", "2"])
        }

        /// What is left of a store is sent. Each line arrives once, but for those that the rescue reports as lost, and those of
        /// files whose positions it reports as lost.
        @Test func `damage of the store loses and repeats no line that is not reported`() async throws {
            var random = SeededRandom(seed + 73)
            let run = try Run()
            let first = try await run.begin()
            while run.records() < count(500, full: 2_000) { try await Task.sleep(for: .milliseconds(5)) }
            first.terminate()
            #expect(await first.end() == .exit(0))
            let lines = await run.writer.end()
            try SQLiteConnection.emptyLog(of: "\(run.store)/kinesis.db")
            let rounds = count(6, full: 200)
            var (rescues, lost, reported, repeated) = (0, 0, 0, 0)
            for _ in 0..<rounds {
                let directory = try TemporaryDirectory()
                try FileManager.default.copyItem(atPath: run.store, toPath: directory.path("store"))
                try damage(directory.path("store/kinesis.db"), &random)
                let found = try await run.send(lines, from: directory)
                rescues += found.errors.contains("was damaged and was moved") ? 1 : 0
                lost += found.lost
                reported += found.reportedLost
                repeated += found.repeated
                #expect(found.lost <= found.reportedLost, "\(found.errors)")
                #expect(found.repeated == 0 || found.errors.contains("stored a second time"), "\(found.errors)")
            }
            report(
                "R61 damage:",
                [
                    "rounds": rounds, "lines": lines, "rescues": rescues, "lost": lost, "reported lost": reported,
                    "repeated": repeated,
                ]
            )
        }

        /// Changes some bytes of one place of a file.
        private func damage(_ path: String, _ random: inout SeededRandom) throws {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let start = Int.random(in: bytes.indices, using: &random)
            let end = min(start + Int.random(in: 1...4_096, using: &random), bytes.endIndex)
            for index in start..<end { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            try bytes.write(to: URL(fileURLWithPath: path))
        }
    }
}

/// Writes numbered lines to `app.log` in a new directory, some in two pieces, and renames it every 0.3 seconds.
private final class LineWriter: Sendable {
    let path: String
    private let state = Locked((isEnding: false, lines: 0))
    private let ended = DispatchSemaphore(value: 0)

    init(_ directory: String) throws {
        path = "\(directory)/app.log"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    func start() {
        Thread.detachNewThread { [self] in
            run()
            ended.signal()
        }
    }

    /// Stops the writing; returns the number of lines.
    func end() async -> Int {
        state.withLock { $0.isEnding = true }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                ended.wait()
                continuation.resume(returning: state.withLock { $0.lines })
            }
        }
    }

    private func run() {
        var random = SeededRandom(1)
        var (lines, files) = (0, 0)
        while !state.withLock({ $0.isEnding }) {
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            let end = ContinuousClock.now + .milliseconds(300)
            while ContinuousClock.now < end, !state.withLock({ $0.isEnding }) {
                for _ in 0..<Int.random(in: 1...10, using: &random) {
                    lines += 1
                    write("\(lines) \(String(repeating: "x", count: lines % 200))\n", to: file, &random)
                }
                usleep(UInt32.random(in: 1_000...20_000, using: &random))
            }
            files += 1
            rename(path, "\(path).\(files)")
            // A program that has not opened the new file yet.
            lines += 1
            write("\(lines) late\n", to: file, &random)
            close(file)
        }
        state.withLock { $0.lines = lines }
    }

    private func write(_ text: String, to file: Int32, _ random: inout SeededRandom) {
        let bytes = Array(text.utf8)
        let cut = Bool.random(using: &random) ? bytes.count : Int.random(in: 0...bytes.count, using: &random)
        for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty {
            _ = part.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        }
    }
}
