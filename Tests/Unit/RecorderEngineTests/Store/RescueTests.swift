import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import Testing

@testable import RecorderStore

@Suite struct RescueTests {
    /// Overwrites a part of the database with garbage, while no connection has it open.
    private func damage(_ path: String, at offset: UInt64, count: Int) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 13) }))
    }

    private func filled() async throws -> (directory: TemporaryDirectory, path: String, texts: [String]) {
        let harness = try PipelineHarness { $0.limits.bytes = 0 }
        let texts = (0..<400).map { "\($0) " + String(repeating: "x", count: 1_000) }
        try await harness.saveAll(Array(texts[..<200]), to: "a")
        try await harness.saveAll(Array(texts[200...]), to: "b")
        // So that closing the store does not overwrite the damage.
        try SQLiteConnection.emptyLog(of: harness.path)
        return (harness.directory, harness.path, texts)
    }

    @Test func `a file with a damaged page is moved aside, and its readable records are delivered in order`()
        async throws
    {
        let (directory, path, texts) = try await filled()
        try damage(path, at: 40 * 4_096, count: 8 * 4_096)
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory) { $0.limits.bytes = 0 }
        let report = try await harness.flush()
        let rescue = try #require(harness.events.rescues.first)
        #expect(harness.events.rescues.count == 1)
        #expect(rescue.rescued > 200 && rescue.rescued < 400)
        #expect(rescue.lost == 400 - rescue.rescued)
        #expect(FileManager.default.fileExists(atPath: rescue.movedTo))
        #expect(report.delivered == rescue.rescued)
        let arrived = server.requests.flatMap { ParsedPutRequest($0).texts }
        #expect(Set(arrived).isSubset(of: texts) && Set(arrived).count == arrived.count)
        for stream in [texts[..<200], texts[200...]] {
            let own = Set(stream)
            #expect(arrived.filter(own.contains) == stream.filter(Set(arrived).contains))
        }
    }

    @Test func `a rescue that was interrupted after it moved the damaged file away is finished by the next process`()
        async throws
    {
        let (directory, path, texts) = try await filled()
        // As on a file system without hard links.
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).rescue")
        let harness = try PipelineHarness(in: directory) { $0.limits.bytes = 0 }
        #expect(try harness.records() == texts.count)
    }

    @Test func `a rescue that is finished by the next process does not read the log of another file`() async throws {
        let (directory, path, texts) = try await filled()
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).rescue")
        let other = try PipelineHarness()
        try await other.save("other")
        try? FileManager.default.removeItem(atPath: "\(path)-wal")
        try FileManager.default.copyItem(atPath: "\(other.path)-wal", toPath: "\(path)-wal")
        let harness = try PipelineHarness(in: directory) { $0.limits.bytes = 0 }
        #expect(try harness.records() == texts.count)
        #expect(harness.events.rescues.isEmpty)
    }

    @Test func `a sound file that is put at the path during a rescue stays there`() async throws {
        let (directory, path, texts) = try await filled()
        let backup = directory.path("backup")
        try FileManager.default.copyItem(atPath: path, toPath: backup)
        try damage(path, at: 40 * 4_096, count: 8 * 4_096)
        let damaged = FileIdentity(path)
        // The rescue waits for it, after it has begun its copy.
        var holder: SQLiteConnection? = try SQLiteConnection(path: path, access: .readWrite)
        try holder?.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE")
        var rescue: Task<Rescue?, any Error>
        var hasBegun = false
        repeat {
            let hasEnded = Locked(false)
            rescue = Task {
                let result = await onDedicatedThread {
                    defer { hasEnded.withLock { $0 = true } }
                    return Result { try StoreRescue(path).run(damaged, before: .now + .seconds(10)) }
                }
                return try result.get()
            }
            hasBegun = await onDedicatedThread {
                while !hasEnded.withLock({ $0 }) {
                    if FileManager.default.fileExists(atPath: "\(path).rescue") { return true }
                    usleep(1_000)
                }
                return false
            }
        } while !hasBegun
        #expect(rename(backup, path) == 0)
        holder = nil
        let rescued = try? await rescue.value
        #expect(rescued == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.contains("damaged-") || $0.contains(".rescue") }, "\(names)")
        let harness = try PipelineHarness(in: directory) { $0.limits.bytes = 0 }
        #expect(try harness.records() == texts.count)
    }

    @Test func `a damaged file that cannot be read now stays where it is`() async throws {
        let (directory, path, _) = try await filled()
        try damage(path, at: 40 * 4_096, count: 8 * 4_096)
        // It cannot be opened, as with too many open files.
        try? FileManager.default.removeItem(atPath: "\(path)-wal")
        try FileManager.default.createDirectory(atPath: "\(path)-wal", withIntermediateDirectories: false)
        #expect(throws: RecorderError.self) {
            _ = try StoreRescue(path).run(FileIdentity(path), before: .now + .seconds(1))
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .allSatisfy { !$0.contains("damaged-") && !$0.contains(".rescue") }
        )
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a damaged count of bytes evicts nothing`() async throws {
        let (directory, path, texts) = try await filled()
        do {
            let connection = try SQLiteConnection(path: path, access: .readWrite)
            try connection.execute("UPDATE stream SET bytes = bytes + (1 << 33) WHERE number = 0")
        }
        let harness = try PipelineHarness(in: directory) { $0.limits.bytes = 5 << 20 }
        try await harness.save("one more")
        #expect(try harness.records() == texts.count + 1)
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `rescued records keep their age, whatever the clock was set to before`() async throws {
        let clock = ManualClock()
        let directory = try await {
            let harness = try PipelineHarness(by: clock) { $0.limits.bytes = 0 }
            try await harness.saveAll((0..<200).map { "\($0) " + String(repeating: "x", count: 1_000) })
            clock.jump(by: 12 * 365 * 86_400)
            try await harness.save("later")
            try SQLiteConnection.emptyLog(of: harness.path)
            return harness.directory
        }()
        try damage(directory.path("kinesis.db"), at: 20 * 4_096, count: 4_096)
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory, by: clock) { $0.limits.age = .seconds(86_400) }
        // A block of 64 KiB is lost.
        #expect(try await harness.flush().delivered > 130)
        #expect(harness.events.rescues.count == 1)
        #expect(harness.events.discards == [])
    }

    /// The number of commits determines the position of the counts in their page.
    @Test(arguments: [[400], [200, 200], [1, 1, 1, 1, 396]])
    func `the number of records lost from a truncated file is correct or unknown, wherever it is cut`(
        commits: [Int]
    ) async throws {
        let origin = try PipelineHarness { $0.limits.bytes = 0 }
        for count in commits {
            try await origin.saveAll((0..<count).map { "\($0) " + String(repeating: "x", count: 900) })
        }
        try SQLiteConnection.emptyLog(of: origin.path)
        let whole = try Data(contentsOf: URL(fileURLWithPath: origin.path))
        let counts = try #require(whole.range(of: Data("all streams".utf8), in: 8_192..<12_288)).lowerBound - 40
        for size in Array(stride(from: 4_099, to: counts, by: 127)) + Array(counts..<12_288) {
            let directory = try TemporaryDirectory()
            try whole.prefix(size).write(to: URL(fileURLWithPath: directory.path("kinesis.db")))
            let harness = try PipelineHarness(in: directory)
            try await harness.save("goes on")
            let rescue = try #require(harness.events.rescues.first)
            #expect(rescue.lost == nil || rescue.lost == 400 - rescue.rescued, "cut at \(size): \(rescue)")
        }
    }

    @Test func `a file of garbage is moved aside, and saves continue`() async throws {
        let (directory, path, _) = try await filled()
        var random = SeededRandom(1)
        try Data((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }).write(
            to: URL(fileURLWithPath: path)
        )
        let harness = try PipelineHarness(in: directory)
        try await harness.save("goes on")
        #expect(harness.events.rescues.map(\.rescued) == [0])
        #expect(harness.events.rescues.first?.lost == nil)
        #expect(try harness.storedTexts() == ["goes on"])
    }

    @Test func `a rescued store saves, delivers and counts like any other`() async throws {
        let (directory, path, _) = try await filled()
        try damage(path, at: 40 * 4_096, count: 4_096)
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory) { $0.limits.bytes = 0 }
        _ = try? await harness.flush()
        let status = try harness.pipeline.status()
        #expect(status.streams.reduce(0) { $0 + $1.bytes } == status.totals.bytes)
        for number in 0..<600 { try await harness.save("later \(number)", to: "b") }
        // Includes the records that the first flush left when it found the damage.
        #expect(try await harness.flush().delivered >= 600)
        let totals = try harness.pipeline.totals()
        #expect(totals.records == 0 && totals.bytes == 0)
        #expect(totals.saved == totals.delivered)
        #expect(harness.events.rescues.count == 1)
    }
}

extension RescueTests {
    /// A store of three records whose file was changed afterwards.
    private func threeRecords(after change: String, to server: LocalServer) async throws -> PipelineHarness {
        let first = try PipelineHarness()
        for text in ["1", "2", "3"] { try await first.save(text) }
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            try connection.execute(change)
        }
        return try PipelineHarness(to: server, in: first.directory)
    }

    @Test func `columns with other names are damage, and every record is kept`() async throws {
        for change in [
            "ALTER TABLE segment RENAME first_bytes TO first_bytez",
            "ALTER TABLE stream RENAME next_sequence TO next_sequencd",
        ] {
            let server = try LocalServer { request, _ in .kinesis(request) }
            let harness = try await threeRecords(after: change, to: server)
            try await harness.save("4")
            #expect(try await harness.flush().failures.isEmpty, "\(change)")
            let arrived = server.requests.flatMap { ParsedPutRequest($0).texts }
            #expect(arrived == ["1", "2", "3", "4"], "\(change)")
            #expect(harness.events.rescues.count == 1, "\(change)")
        }
    }
}

extension RescueTests {
    @Test func `an altered record is never sent but counted as lost, and all others are delivered`()
        async throws
    {
        for change in [
            "UPDATE block_1 SET data = CAST('altered' AS BLOB) WHERE id & 0xFF = 2",
            "UPDATE block_1 SET data = x'' WHERE id & 0xFF = 2",
            "UPDATE block_1 SET head = x'' WHERE id & 0xFF = 2",
            "UPDATE block_1 SET head = substr(head, 1, 3) WHERE id & 0xFF = 2",
            "UPDATE block_1 SET span = 1 WHERE id & 0xFF = 2",
            // The column's name is damaged, too.
            "ALTER TABLE block_1 RENAME head TO haed; UPDATE block_1 SET data = CAST('altered' AS BLOB) WHERE id & 0xFF = 2",
        ] {
            let server = try LocalServer { request, _ in .kinesis(request) }
            let harness = try await threeRecords(after: change, to: server)
            #expect(try await harness.flush().delivered == 2, "\(change)")
            #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == ["1", "3"], "\(change)")
            #expect(harness.events.rescues.map(\.lost) == [1], "\(change)")
        }
    }

    @Test func `a file with only a damaged header is rescued, not refused`() async throws {
        for change in ["application_id = 1096241489", "user_version = 65537", "user_version = 0"] {
            let server = try LocalServer { request, _ in .kinesis(request) }
            let harness = try await threeRecords(after: "PRAGMA \(change)", to: server)
            #expect(try await harness.flush().delivered == 3, "\(change)")
            #expect(harness.events.rescues.map(\.lost) == [0], "\(change)")
        }
    }
}

extension RescueTests {
    @Test func `a byte limit with a cursor out of range evicts only the oldest records`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request, fail: { $0 > "2" ? "InternalFailure" : nil }) }
        let first = try PipelineHarness(to: server)
        for text in ["1", "2", "3", "4"] { try await first.save(text, key: "k") }
        _ = try? await first.flush()
        #expect(try first.records() == 2)
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            try connection.execute("UPDATE stream SET cursor = -31534 WHERE number = 1")
        }
        // Each record takes 1 + 1 + 64 bytes: two fit.
        let harness = try PipelineHarness(in: first.directory) { $0.limits.bytes = 2 * 66 }
        try await harness.save("5", key: "k")
        #expect(harness.events.rescues.isEmpty)
        #expect(try harness.storedTexts() == ["4", "5"])
        let totals = try harness.pipeline.totals()
        #expect(totals.records == 2 && totals.bytes == 2 * 66)
    }

    @Test
    func `the byte limit holds, and every loss is reported, if damage emptied the oldest segment`()
        async throws
    {
        let limit = 1_024 * 1_024
        let first = try PipelineHarness { $0.limits.bytes = limit }
        for number in 0..<9 { try await first.save(Data(count: 100_000), to: "s\(number % 2)", key: "k") }
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            #expect(try connection.integer("SELECT count(*) FROM segment") == 2)
            try connection.execute("DELETE FROM block_1")
        }
        let harness = try PipelineHarness(in: first.directory) { $0.limits.bytes = limit }
        for number in 9..<30 { try await harness.save(Data(count: 100_000), to: "s\(number % 2)", key: "k") }
        let totals = try harness.pipeline.totals()
        #expect(totals.records == 10 && totals.bytes <= limit)
        #expect(try harness.storedTexts().count == 10)
        #expect(harness.events.rescues.count == 1)
        #expect(harness.events.rescues.first?.lost == 6)
    }

    @Test(arguments: [
        "UPDATE segment SET first_sequence = 2 WHERE first_sequence = 1",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'block_77' WHERE name = 'block_1'",
    ])
    func `records of a segment or table with a damaged name are rescued`(
        change: String
    ) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let first = try PipelineHarness { $0.limits.bytes = 0 }
        for _ in 0..<12 { try await first.save(Data(count: 100_000)) }
        do {
            let connection = try SQLiteConnection(path: first.path, access: .damaged)
            #expect(try connection.integer("SELECT count(*) FROM segment") == 2)
            try connection.execute(change)
        }
        let harness = try PipelineHarness(to: server, in: first.directory) { $0.limits.bytes = 0 }
        for _ in 0..<12 { try await harness.save(Data(count: 100_000)) }
        #expect(try await harness.flush().delivered == 24)
        #expect(harness.events.rescues.map(\.lost) == [0])
    }

    @Test func `a record with a zero character in its key survives repeated rescues`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let directory = try TemporaryDirectory()
        try await PipelineHarness(in: directory).save("1", key: "a\u{0}b")
        for number in 2...3 {
            let harness = try PipelineHarness(in: directory)
            do {
                let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
                try connection.execute("ALTER TABLE segment RENAME first_bytes TO first_bytez")
            }
            try await harness.save("\(number)")
            #expect(harness.events.rescues.map(\.lost) == [0])
        }
        let harness = try PipelineHarness(to: server, in: directory)
        #expect(try await harness.flush().delivered == 3)
        #expect(harness.events.rescues.isEmpty)
        let body = server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(body.contains(#""PartitionKey":"a\u0000b""#))
    }

    /// A flipped bit in the schema can change any name.
    @Test(arguments: [
        "ALTER TABLE clock RENAME boot TO bout", "ALTER TABLE meta RENAME byte_limit TO limit_b",
        "ALTER TABLE stream RENAME trouble_at TO double",
    ])
    func `a column with a damaged name is damage, and every record is kept`(change: String) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let first = try PipelineHarness()
        try await first.save("1")
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            try connection.execute(change)
        }
        let harness = try PipelineHarness(to: server, in: first.directory, by: first.clock)
        _ = try harness.pipeline.status()
        try await harness.save("2")
        #expect(try await harness.flush().delivered == 2)
        #expect(harness.events.rescues.map(\.lost) == [0])
    }

    @Test(arguments: [Int64.max, .min, -1, 1 << 40])
    func `an impossible failure count is read as zero`(damaged: Int64) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { _ in "ProvisionedThroughputExceededException" }
        }
        let rule: @Sendable (inout RecorderPolicy) -> Void = {
            $0.failureRule = CountsAttempts()
            $0.discardsAfterFailures = 3
        }
        let first = try PipelineHarness(to: server, rule)
        try await first.save("1")
        _ = try await first.flush()
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            try connection.execute("UPDATE kept SET failures = \(damaged)")
            #expect(connection.changes == 1)
        }
        let harness = try PipelineHarness(to: server, in: first.directory, rule)
        for left in [1, 1, 0] {
            _ = try await harness.flush()
            #expect(try harness.records() == left)
        }
        #expect(harness.events.discards.map(\.reason) == [.retriesExhausted])
        #expect(harness.events.rescues.isEmpty)
    }
}
