import Foundation
import RecordFormats
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// No key names two records, whatever is done to a store's files; and what is normal keeps the identity of a store.
@Suite(.timeLimit(.minutes(5))) struct RestoredStoreTests {
    /// What each key named so far.
    private final class Keys {
        private var named: [String: Data] = [:]
        private(set) var stores: Set<UInt64> = []
        var texts: [String] { named.values.map { String(decoding: $0, as: UTF8.self) }.sorted() }

        /// Reads all that waits in a store, as it would be sent.
        func read(_ directory: String) throws {
            let contents = try StoreContents(at: StoreLocation(directory: directory, fileName: "kinesis.db"))
            for stream in contents.streams {
                var position = contents.start(of: stream)
                while case let page = try contents.page(at: &position), !page.isEmpty {
                    for record in page { add(record) }
                }
            }
        }

        private func add(_ record: ContentRecord) {
            guard let key = record.partitionKey, let identity = record.identity else {
                Issue.record("a record without a numbered key")
                return
            }
            #expect(named[key] ?? record.data == record.data, "\(key) names two records")
            named[key] = record.data
            stores.insert(identity.store)
        }
    }

    private func shell(_ command: String) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", command]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        await (try ProcessEnd(starting: process)).finished()
        return process.terminationStatus
    }

    /// Saves texts with a store of its own, as a process does.
    private func save(_ texts: String..., in directory: TemporaryDirectory, by clock: ManualClock) async throws {
        let harness = try PipelineHarness(in: directory, by: clock)
        for text in texts { try await harness.save(text) }
    }

    /// $S is the store's directory, $B a copy of it, $T an archive of it.
    static let restores = [
        "cp $B/* $S/", "cp -a $B/. $S/", "cp -p $B/kinesis.db $S/kinesis.db", "tar -C $S -xf $T",
        "tar -C $S --overwrite -xf $T", "rm -f $S/*; tar -C $S -xf $T", "rm -f $S/*; cp -a $B/. $S/",
        "cat $B/kinesis.db > $S/kinesis.db", "mv $S/kinesis.db $S/x; cp -a $B/kinesis.db $S/; rm $S/x",
        "cp -a $B/. $S/; touch -d @1700000000 $S/*", "rm -rf $S/* && cp -a --reflink=auto $B/. $S/",
    ]

    @Test(arguments: restores, [false, true])
    func `a restored store gives no key that was given after the copy was made`(restore: String, isOpen: Bool)
        async throws
    {
        let (directory, backup) = (try TemporaryDirectory(), try TemporaryDirectory())
        let (clock, keys) = (ManualClock(), Keys())
        try await save("1", "2", in: directory, by: clock)
        let archive = backup.path("a.tar")
        let paths = "S=\(directory.path) B=\(backup.path("b")) T=\(archive);"
        #expect(try await shell("\(paths) mkdir $B; cp -a $S/. $B/; tar -C $S -cf $T .") == 0)
        try await save("3", "4", in: directory, by: clock)
        try keys.read(directory.path)
        // Another process may have the file open, and save to it.
        let open = try PipelineHarness(in: directory, by: clock)
        if isOpen {
            try await open.save("5")
            try keys.read(directory.path)
        }
        #expect(try await shell("\(paths) \(isOpen ? "" : "rm -f $S/kinesis.db-*;") \(restore)") == 0)
        if isOpen, (try? await open.save("6")) != nil { try? keys.read(directory.path) }
        do {
            try await save("7", "8", in: directory, by: clock)
            try keys.read(directory.path)
        } catch {
            // Two processes can see two files, or a log that belongs to neither.
            #expect(isOpen, "\(error)")
        }
    }

    /// The last change is what `rsync` does with a log whose database has not changed.
    static let logChanges = [
        "rm $S/kinesis.db-wal", "rm $S/kinesis.db-wal $S/kinesis.db-shm", "rm $S/kinesis.db-shm",
        "cp -p $B/kinesis.db-wal $S/.x; mv $S/.x $S/kinesis.db-wal",
    ]

    private func texts(_ directory: TemporaryDirectory) throws -> [String] {
        let keys = Keys()
        try keys.read(directory.path)
        return keys.texts
    }

    @Test(arguments: logChanges)
    func `a log that is removed or replaced while the store is open loses no record`(change: String) async throws {
        let (directory, backup) = (try TemporaryDirectory(), try TemporaryDirectory())
        let clock = ManualClock()
        let paths = "S=\(directory.path) B=\(backup.path);"
        for isUsedAfterwards in [true, false] {
            do {
                let open = try PipelineHarness(in: directory, by: clock)
                try await open.save("1")
                #expect(try await shell("\(paths) cp -a $S/. $B/") == 0)
                try await open.save("2")
                #expect(try await shell("\(paths) \(change)") == 0)
                if isUsedAfterwards { try await open.save("3") }
            }
            // As another process would find it.
            let next = try PipelineHarness(in: directory, by: clock)
            if !isUsedAfterwards { try await next.save("3") }
            #expect(try texts(directory) == ["1", "2", "3"])
            #expect(try await next.clear() == 3)
        }
    }

    /// What was only in the log is gone. The backup may be the beginning of the log, or an earlier log.
    @Test(arguments: [false, true])
    func `records that are saved after the log was overwritten are kept`(hasNewLog: Bool) async throws {
        let (directory, backup) = (try TemporaryDirectory(), try TemporaryDirectory())
        let paths = "S=\(directory.path) B=\(backup.path);"
        let clock = ManualClock()
        let open = try PipelineHarness(in: directory, by: clock)
        try await open.save("1")
        #expect(try await shell("\(paths) cp -a $S/. $B/") == 0)
        if hasNewLog {
            try SQLiteConnection.emptyLog(of: open.path)
        }
        for number in 2...9 { try await open.save("\(number)") }
        let keys = Keys()
        try keys.read(directory.path)
        #expect(try await shell("\(paths) cat $B/kinesis.db-wal > $S/kinesis.db-wal") == 0)
        try await open.save("a")
        try await open.save("b")
        // As it would be after the process was killed.
        let copy = try TemporaryDirectory()
        #expect(try await shell("cp \(directory.path)/kinesis.db \(directory.path)/kinesis.db-wal \(copy.path)/") == 0)
        let left = try texts(copy)
        try keys.read(copy.path)
        #expect(left.suffix(2) == ["a", "b"] && left.first == "1", "\(left)")
        #expect(try await open.clear() == left.count)
    }

    @Test func `a copy of the whole machine that boots by itself gives other keys`() async throws {
        let directory = try TemporaryDirectory()
        let (clock, keys) = (ManualClock(), Keys())
        try await save("1", in: directory, by: clock)
        clock.reboot(after: 60)
        try await save("2", in: directory, by: clock)
        try keys.read(directory.path)
        #expect(keys.stores.count == 2)
    }

    @Test func `two copies of a disk image that are mounted in turn give different keys`() async throws {
        let directory = try TemporaryDirectory()
        let paths = "A=\(directory.path("a.img")) B=\(directory.path("b.img")) M=\(directory.path("m"));"
        let made = try await shell("\(paths) mkdir $M; truncate -s 16M $A; mkfs.ext4 -q $A; mount -o loop $A $M")
        guard made == 0 else { return print("image clones skipped: no loop device can be mounted here.") }
        defer { umount2(directory.path("m"), Int32(MNT_DETACH)) }
        let (clock, keys) = (ManualClock(), Keys())
        let store = directory.path("m/store")
        func saveTwo(_ first: String, _ second: String) async throws {
            let harness = try PipelineHarness(url: nil, in: directory, at: store, by: clock)
            for text in [first, second] { try await harness.save(text) }
            try keys.read(store)
        }
        try await saveTwo("1", "2")
        #expect(try await shell("\(paths) sync; umount -d $M && cp $A $B && mount -o loop $A $M") == 0)
        try await saveTwo("3", "4")
        #expect(try await shell("\(paths) umount -d $M && mount -o loop $B $M") == 0)
        try await saveTwo("5", "6")
        #expect(try await shell("\(paths) umount -d $M") == 0)
    }

    @Test func `without the identity of the boot the time of the boot counts`() async throws {
        let directory = try TemporaryDirectory()
        let keys = Keys()
        let uptime = Duration.seconds(1_000)
        for (now, expected) in [(1_700_000_000.0, 1), (1_700_000_003.0, 1), (1_700_100_000.0, 2)] {
            let clock = SystemClock(now: { Date(timeIntervalSince1970: now) }, uptime: { uptime }, boot: { "" })
            let harness = try PipelineHarness(url: nil, in: directory, systemClock: clock)
            try await harness.save("\(now)")
            try keys.read(directory.path)
            #expect(keys.stores.count == expected)
        }
    }

    @Test func `restarts, flushes, checkpoints, other processes and readers keep the identity`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let directory = try TemporaryDirectory()
        let (clock, keys) = (ManualClock(), Keys())
        for round in 0..<20 {
            let one = try PipelineHarness(to: server, in: directory, by: clock) { $0.limits.bytes = 3 << 20 }
            let other = try PipelineHarness(in: directory, by: clock)
            try await one.save("\(round) one")
            try await other.save("\(round) other")
            if round % 5 == 4 {
                // The log is checkpointed, segments begin and are evicted.
                for number in 0..<40 {
                    try await one.save(Data("\(round) \(number) ".utf8) + Data(count: 100_000), to: "stream")
                }
            }
            try keys.read(directory.path)
            _ = try other.pipeline.status()
            if round % 3 == 2 { try await one.flush() }
            if round % 7 == 6 { _ = try await other.clear() }
            clock.advance(by: 3_600)
        }
        #expect(keys.stores.count == 1)
    }
}
