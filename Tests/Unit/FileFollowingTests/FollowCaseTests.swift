import FileFollowing
import Glibc
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// What a follower does in cases that few worlds have.
@Suite struct FollowCaseTests {
    @Test func `a pattern that is given twice is one`() {
        let patterns = ["/logs/*.log", "/logs//*.log", "*.log", "/logs/\u{e9}.log", "/logs/e\u{301}.log"]
        let found = FileFlow(stream: "app", patterns: patterns).filePatterns(in: "/logs")
        #expect(found.map(\.bytes) == ["/logs/*.log", "/logs/\u{e9}.log", "/logs/e\u{301}.log"].map { Array($0.utf8) })
    }

    @Test func `a file is read whose size is the largest that there is`() throws {
        // Other file systems have smaller limits.
        let path = "/dev/shm/recorder-\(getpid()).log"
        let number = open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)
        guard number >= 0, ftruncate(number, .max) == 0 else { return print("skipped: there is no tmpfs.") }
        defer {
            close(number)
            unlink(path)
        }
        let file = try #require(OpenFiles(LinuxFileSystem()).open(path, followsLink: false))
        let content = FileContent(file, isCompressed: false, at: FilePosition(stream: "app", pattern: path))
        guard case .bytes(let bytes) = content.read(atMost: 512) else {
            Issue.record("there are no bytes")
            return
        }
        #expect(bytes.count == 512)
        var metrics = FlowMetrics()
        metrics.unreadBytes = .max
        metrics.add(metrics)
        #expect(metrics.unreadBytes == .max)
    }

    @Test func `a file that was moved away is closed, and that is told once, although there are no events`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 1, claims: directory.path("claims"))
        world.settings.pollsContents = true
        world.plan(at: 5) { world.disk.rename("/logs/worker0.log", to: "/b/worker0.log") }
        world.run()
        let told = world.notices.count { if case .reading(_, .moved) = $0.notice { true } else { false } }
        #expect(told == 1)
    }

    @Test(arguments: [40, 20])
    func `each of many files is read in turn while all of them, or many, are written to all the time`(busy: Int) throws
    {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 40, claims: directory.path("claims"))
        var late = 0
        for tick in 1...300 {
            world.plan(at: Double(tick) * 0.3) {
                let count = tick % 50 == 0 ? 40 : busy
                for number in 0..<count { world.write(to: world.disk.create("/logs/worker\(number).log")) }
                let written = world.lines.filter { $0.time < world.disk.time - 30_000_000_000 }
                late = max(late, written.count { world.store.records[$0.text] == nil })
            }
        }
        world.run()
        #expect(world.faults == [])
        #expect(late == 0, "\(late) lines waited for more than half a minute")
    }

    @Test(arguments: [0.1, 0.4, 1, 2])
    func `what was added to a closed file that is deleted before its turn is told`(delay: Double) throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 40, claims: directory.path("claims"))
        let paths = (0..<40).map { "/logs/worker\($0).log" }
        world.plan(at: 20) { for path in paths { world.write(to: world.disk.create(path)) } }
        world.plan(at: 20 + delay) { for path in paths { world.disk.remove(path) } }
        world.run()
        #expect(world.untold.isEmpty)
        #expect(world.store.records.count < 80, "all of them were read")
    }

    @Test(arguments: [0.1, 0.4, 1, 2])
    func `what was written anew to a closed file that is deleted before its turn is told`(delay: Double) throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 40, claims: directory.path("claims"))
        let paths = (0..<40).map { "/logs/worker\($0).log" }
        world.plan(at: 5) { for path in paths { world.write(to: world.disk.create(path)) } }
        world.plan(at: 20) {
            for path in paths {
                world.disk.truncate(world.disk.create(path))
                world.write(to: world.disk.create(path))
            }
        }
        world.plan(at: 20 + delay) { for path in paths { world.disk.remove(path) } }
        world.run()
        #expect(world.untold.isEmpty, "\(world.untold)")
        #expect(world.store.records.count < 120, "all of them were read")
    }

    @Test(arguments: [0.0003, 0.0006, 0.001, 0.003])
    func `what was added to a file that is deleted before its turn after a start is told`(delay: Double) throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 40, claims: directory.path("claims"))
        let paths = (0..<40).map { "/logs/worker\($0).log" }
        world.run()
        let start = Double(world.disk.time - world.startTime) / 1_000_000_000
        world.plan(at: start + delay) { for path in paths { world.write(to: world.disk.create(path)) } }
        world.plan(at: start + delay + 0.000_01) { for path in paths { world.disk.remove(path) } }
        world.run()
        #expect(world.untold.isEmpty, "\(world.untold)")
        #expect(world.store.records.count < 80, "all of them were read")
    }

    @Test func `what was added to a closed file that is deleted while files are looked for is told`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 80, claims: directory.path("claims"))
        world.plan(at: 20) { world.write(to: world.disk.create("/logs/new.log")) }
        // One at each step of the scan, which begins a hundredth of a second later.
        for number in 0..<80 {
            let time = 20.00999 + Double(number) * 0.000_002
            world.plan(at: time) {
                world.write(to: world.disk.create("/logs/worker\(number).log"))
                world.disk.remove("/logs/worker\(number).log")
            }
        }
        world.run()
        #expect(world.untold.isEmpty, "\(world.untold)")
    }

    @Test(arguments: [0.4, 1])
    func `a new file that is deleted before its turn is told`(delay: Double) throws {
        let directory = try TemporaryDirectory()
        // A record that waits for its next line keeps its file open.
        let world = FollowWorld(files: 16, multilineStart: "^line", claims: directory.path("claims"))
        let paths = (0..<40).map { "/logs/new\($0).log" }
        world.plan(at: 20) { for path in paths { world.write(to: world.disk.create(path)) } }
        world.plan(at: 20 + delay) { for path in paths { world.disk.remove(path) } }
        world.run()
        #expect(world.untold.isEmpty)
        #expect(world.store.records.count < 56, "all of them were read")
    }

    @Test(arguments: [true, false])
    func `a file without a name is read on though others wait for its descriptor`(isDeleted: Bool) throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 40, claims: directory.path("claims"))
        let node = world.disk.create("/logs/worker0.log")
        world.plan(at: 20) { world.write(to: node) }
        world.plan(at: 30) {
            node.writers = 1
            if isDeleted {
                world.disk.remove("/logs/worker0.log")
            } else {
                world.disk.rename("/logs/worker0.log", to: "/b/worker0.log")
            }
        }
        for tick in 1...80 {
            world.plan(at: 30 + Double(tick) * 0.5) {
                for number in 1..<40 { world.write(to: world.disk.create("/logs/worker\(number).log")) }
                if tick % 20 == 0 { world.write(to: node) }
            }
        }
        world.run()
        let unread = world.lines.filter { $0.file == node.key && world.store.records[$0.text] == nil }
        #expect(unread.isEmpty && world.faults == [], "\(unread)")
    }

    @Test func `a file that was truncated while it was closed is read anew though the store took nothing for a while`()
        throws
    {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 40, claims: directory.path("claims"))
        world.plan(at: 20) {
            world.store.isFull = true
            for number in 0..<40 {
                let node = world.disk.create("/logs/worker\(number).log")
                if number >= 20 { world.disk.truncate(node) }
                for _ in 0..<3 { world.write(to: node) }
            }
        }
        world.plan(at: 60) { world.store.isFull = false }
        world.run()
        let unread = world.lines.suffix(120).filter { world.store.records[$0.text] != 1 }
        #expect(unread.isEmpty, "\(unread)")
    }

    @Test func `a file that has the inode of a compressed one is read, without times of birth`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 1, claims: directory.path("claims"))
        world.disk.hasBirths = false
        world.plan(at: 5) { world.disk.write(Gzip.compress([]) ?? [], to: world.disk.create("/logs/worker0.log.gz")) }
        var old: UInt64?
        world.plan(at: 100) {
            old = world.disk.find("/logs/worker0.log.gz").node?.key.inode
            world.disk.remove("/logs/worker0.log.gz")
            world.write(to: world.disk.create("/logs/new.log"))
        }
        world.run()
        #expect(old == world.lines.last?.file.inode && old != nil)
        #expect(world.store.records.count == 2)
    }

    @Test func `a compressed file that was left out stays left out when it is there again`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 1, claims: directory.path("claims"))
        let copy = world.disk.create("/logs/worker0.log.gz")
        world.disk.write(Gzip.compress(Array("old\n".utf8)) ?? [], to: copy)
        world.plan(at: 20) { world.disk.rename("/logs/worker0.log.gz", to: "/b/away") }
        world.plan(at: 40) { world.disk.rename("/b/away", to: "/logs/worker0.log.gz") }
        world.run()
        #expect(world.store.records.count == 1)
    }

    @Test func `a copy that is not complete yet is not read while its original is closed`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 40, claims: directory.path("claims"))
        for number in 0..<40 {
            let path = "/logs/worker\(number).log"
            let time = 20 + Double(number) * 2
            world.plan(at: time + 1) {
                let bytes = world.disk.create(path).bytes
                world.disk.write(Array(bytes.prefix(bytes.count / 2)), to: world.disk.create("\(path).1"))
            }
            world.plan(at: time + 1.5) {
                let bytes = world.disk.create(path).bytes
                world.disk.write(Array(bytes.dropFirst(bytes.count / 2)), to: world.disk.create("\(path).1"))
            }
        }
        world.run()
        #expect(world.faults == [])
    }

    @Test func `a compressed copy of a log that is written on is not read`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 1, claims: directory.path("claims"))
        let log = world.disk.create("/logs/worker0.log")
        world.plan(at: 20) {
            world.disk.write(Gzip.compress(log.bytes) ?? [], to: world.disk.create("/logs/worker0.log.1.gz"))
            world.write(to: log)
        }
        world.run()
        #expect(world.faults == [] && world.store.records.count == 2)
    }

    @Test func `logs are read though there are more undecided compressed files than may be open`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 20, claims: directory.path("claims"))
        let logs = (0..<20).map { world.disk.create("/logs/worker\($0).log") }
        world.plan(at: 20) {
            for (number, log) in logs.enumerated() {
                // It ends within a line, of which nothing is stored.
                world.disk.write(Array("li".utf8), to: log)
                let bytes = Gzip.compress(log.bytes) ?? []
                world.disk.write(bytes, to: world.disk.create("/logs/worker\(number).log.1.gz"))
            }
        }
        world.plan(at: 60) {
            for log in logs {
                let text = "line \(world.lines.count + 1_000_000)"
                world.disk.write(Array("\(text)\n".utf8.dropFirst(2)), to: log)
                world.add(text, to: log)
            }
        }
        world.run()
        #expect(world.faults == [] && world.store.records.count == 40)
    }

    @Test func `a new file is read though all that are open are written to all the time`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 16, claims: directory.path("claims"))
        var late = 0
        for tick in 1...2_000 {
            world.plan(at: 20 + Double(tick) * 0.02) {
                for number in 0..<16 { world.write(to: world.disk.create("/logs/worker\(number).log")) }
                if tick == 1 { world.write(to: world.disk.create("/logs/new.log")) }
                if tick == 1_500 { late = world.lines.count { $0.end == 13 && world.store.records[$0.text] == nil } }
            }
        }
        world.run()
        #expect(world.faults == [] && late == 0)
    }

    @Test(arguments: [true, false])
    func `a file is read on whose file system was mounted again as another device`(hasBirths: Bool) throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 0, claims: directory.path("claims"))
        world.disk.hasBirths = hasBirths
        let node = world.disk.create("/logs/a.log")
        world.plan(at: 5) { world.write(to: node) }
        world.run()
        world.disk.mountAgain()
        world.plan(at: 1_000) { world.write(to: node) }
        world.run()
        #expect(world.store.records.count == 2 && world.store.records.values.allSatisfy { $0 == 1 })
    }

    @Test func `files that were moved away are not watched, nor directories that a link led to`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 3, claims: directory.path("claims"))
        world.plan(at: 5) {
            for number in 0..<2 { world.disk.rename("/logs/worker\(number).log", to: "/b/\(number).log.moved") }
        }
        world.run()
        let process = try #require(world.process)
        #expect(process.watchedFiles == [world.disk.find("/logs/worker2.log").node?.number])
        let other = FollowWorld(files: 3, claims: directory.path("claims"))
        other.plan(at: 5) {
            other.disk.remove("/logs")
            other.disk.create("/logs", .link, target: "/b")
        }
        other.run()
        let next = try #require(other.process)
        #expect(next.watchedFiles.isEmpty)
        #expect(other.disk.find("/a").node.map { next.watchedDirectories.contains($0.number) } == false)
    }

    @Test func `a compressed copy beside an unfinished line is compared once`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 1, claims: directory.path("claims"))
        world.plan(at: 5) {
            let original = world.disk.create("/logs/worker0.log")
            world.disk.write(Array("unfinished".utf8), to: original)
            let copy = world.disk.create("/logs/worker0.log.gz")
            world.disk.write(Gzip.compress(original.bytes) ?? [], to: copy)
        }
        world.run()
        #expect(world.store.records.count == 1)
        #expect(world.store.readings < 10, "positions were read \(world.store.readings) times")
    }

    @Test func `a compressed file that begins with the unfinished line of a deleted one is read from its start`() throws
    {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 1, claims: directory.path("claims"))
        let path = "/logs/worker0.log"
        world.plan(at: 5) { world.disk.remove(path) }
        world.plan(at: 6) { world.disk.write(Array("line ".utf8), to: world.disk.create(path)) }
        world.plan(at: 20) { world.disk.remove(path) }
        world.plan(at: 200) {
            let bytes = Gzip.compress(Array("line 2\nline 3\n".utf8)) ?? []
            world.disk.write(bytes, to: world.disk.create("\(path).1.gz"))
            world.write(to: world.disk.create(path))
        }
        world.run()
        #expect(world.store.records["line 2"] == 1 && world.store.records["line 3"] == 1, "\(world.store.records)")
    }

    @Test func `a file that is opened in place of a dated one, and gone at once, is told`() throws {
        // While those files are opened that are closed, one each six microseconds.
        for delay in stride(from: 2.250_44, to: 2.250_56, by: 0.000_004) {
            let directory = try TemporaryDirectory()
            let world = FollowWorld(files: 0, claims: directory.path("claims"))
            let paths = (0..<40).map { "/logs/worker\($0)-20261125.log" }
            for path in paths { world.write(to: world.disk.create(path)) }
            world.plan(at: 20) { for path in paths { world.write(to: world.disk.create(path)) } }
            world.plan(at: 20 + delay) {
                for path in paths {
                    world.disk.remove(path)
                    world.write(to: world.disk.create(path))
                }
            }
            world.plan(at: 20.000_008 + delay) { for path in paths { world.disk.remove(path) } }
            world.run()
            #expect(world.faults == [], "\(delay)")
        }
    }

    @Test func `of many files that are deleted at once, the store keeps few positions`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 200, claims: directory.path("claims"))
        let paths = (0..<200).map { "/logs/worker\($0).log" }
        world.plan(at: 20) { for path in paths { world.write(to: world.disk.create(path)) } }
        world.plan(at: 20.4) { for path in paths { world.disk.remove(path) } }
        world.run()
        #expect(world.untold.isEmpty)
        #expect(world.store.goneCount <= 64, "\(world.store.goneCount)")
    }
}

extension FollowWorld {
    /// The lines that are not stored, and of whose files was not said once that they are gone.
    fileprivate var untold: [String] {
        lines.filter { line in
            let told = notices.count { notice, _, _ in
                if case .incomplete(.gone(let position)) = notice { position.file == line.file } else { false }
            }
            return store.records[line.text] == nil && told != 1
        }
        .map(\.text)
    }
}
