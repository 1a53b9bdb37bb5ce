import Foundation
import RecordFormats
import RecorderStore
import RecorderTestSupport
import Testing

/// `audit` with what stores say, against a local Kinesis.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AuditStoreTests {
    private static let isFull = ProcessInfo.processInfo.environment["STRESS"] == "full"

    private func lines(_ count: Int) -> Data { Data((0..<count).map { "\($0)\n" }.joined().utf8) }

    /// A tool, and a new stream with four shards.
    private func tool(_ stream: String) async throws -> Tool {
        let moto = try await MotoServer.shared()
        try await moto.createStream(stream, shards: 4)
        return try Tool(to: moto.url)
    }

    // MARK: losses

    @Test func `records that were deleted behind the store's back are all named`() async throws {
        let stream = "audit-deleted"
        let tool = try await tool(stream)
        // The first ones, some in between, and the last ones.
        for round in 0..<10 {
            _ = try await tool.run("save", stream, input: lines(round == 9 ? 10 : 30))
            try await tool.changeStore(
                """
                UPDATE stream SET cursor = cursor + 10 WHERE number = 1;
                UPDATE stream SET records = records - 10;
                UPDATE stream SET delivered = delivered + 10 WHERE number = 0;
                """
            )
            #expect(try await tool.run("submit").status == 0)
        }
        let audit = try await tool.audit(stream, "--store", tool.store)
        let named = audit.report.streams.flatMap(\.stores).flatMap(\.missing)
        #expect(audit.status == 1 && audit.report.unexplained == 100)
        #expect(named.allSatisfy { $0.explanation == "lost" })
        let expected = (0..<10 as Range<Int64>).map { $0 * 30...($0 * 30 + 9) }
        #expect(OrdinalRanges(named.map { $0.first...$0.last }) == OrdinalRanges(expected))
        // Without the store, those before the first and after the last one that arrived cannot be known.
        #expect(try await tool.audit(stream).report.unexplained == 80)
    }

    // MARK: what stores explain

    @Test func `what the store still has is held, here and by a status from another machine`() async throws {
        let stream = "audit-held"
        let tool = try await tool(stream)
        _ = try await tool.run("save", stream, "--submit", input: lines(30))
        _ = try await tool.run("save", stream, input: lines(20))
        let file = tool.home.path("status.json")
        try Data(try await tool.run("status", "--json").out.utf8).write(to: URL(fileURLWithPath: file))
        for words in [["--store", tool.store], ["--status", file]] {
            let audit = try await tool.audit(stream, words[0], words[1])
            #expect(audit.status == 0 && audit.report.missing == ["30-49 held"])
        }
        // What was saved after the status was taken is not judged.
        #expect(try await tool.run("submit").status == 0)
        _ = try await tool.run("save", stream, "--submit", input: lines(5))
        let later = try await tool.audit(stream, "--status", file)
        #expect(later.status == 0 && later.report.missing.isEmpty)
        #expect(later.report.streams.first?.stores.first?.delivered == 55)
    }

    @Test func `what was discarded before a store got another identity is explained, too`() async throws {
        let stream = "audit-earlier"
        let tool = try await tool(stream)
        _ = try await tool.run("save", stream, "--submit", input: lines(5))
        _ = try await tool.run("save", stream, input: lines(5))
        #expect(try await tool.run("clear", "--yes").status == 0)
        _ = try await tool.run("save", stream, "--submit", input: lines(5))
        try await tool.changeStore("UPDATE meta SET key_place = 'before a boot'")
        _ = try await tool.run("save", stream, "--submit", input: lines(5))
        let audit = try await tool.audit(stream, "--store", tool.store)
        let stores = try #require(audit.report.streams.first?.stores)
        #expect(audit.status == 0 && audit.report.unexplained == 0 && stores.count == 2)
        #expect(stores.flatMap(\.missing).map(\.explanation) == ["discarded"])
        #expect(stores.map(\.gone).sorted() == [0, 5])
    }

    @Test func `of an identity after one of which records arrived, records are missing and held, too`() async throws {
        let stream = "audit-earlier-lost"
        let tool = try await tool(stream)
        // Sent elsewhere, and so not judged.
        _ = try await tool.run("save", stream, "--submit", "--random-keys", input: lines(3))
        try await tool.changeStore("UPDATE stream SET unnamed = 0; UPDATE meta SET key_place = 'before a boot'")
        _ = try await tool.run("save", stream, "--submit", input: lines(2))
        try await tool.changeStore("UPDATE meta SET key_place = 'before a boot'")
        _ = try await tool.run("save", stream, input: lines(8))
        try await tool.changeStore(
            """
            UPDATE stream SET cursor = cursor + 5 WHERE number = 1;
            UPDATE stream SET records = records - 5;
            UPDATE stream SET delivered = delivered + 5 WHERE number = 0;
            UPDATE meta SET key_place = 'before a boot';
            """
        )
        _ = try await tool.run("save", stream, input: lines(5))
        let audit = try await tool.audit(stream, "--store", tool.store)
        #expect(audit.status == 1 && audit.report.unexplained == 5)
        #expect(audit.report.missing.sorted() == ["10-12 held", "13-17 held", "5-9 lost"])
        // A stream that may have had records of before: they may have expired.
        let old = try ReadableStream(["a": .init([])], age: 1_000)
        let later = try await Tool(to: old.url).audit(stream, "--store", tool.store)
        #expect(later.report.missing == ["13-17 held"], "\(later.report.missing)")
    }

    @Test func `what the store discarded explains as many records, and no more`() async throws {
        let stream = "audit-discarded"
        let tool = try await tool(stream)
        // 101 or 102 bytes each.
        _ = try await tool.run("save", stream, "--limit", "2K", "--max-record", "1K", input: lines(50))
        #expect(try await tool.run("submit").status == 0)
        let audit = try await tool.audit(stream, "--store", tool.store)
        let store = try #require(audit.report.streams.first?.stores.first)
        #expect(audit.status == 0 && store.gone + store.delivered == 50 && store.gone > 20)
        #expect(store.missing.map(\.explanation) == ["discarded"] && store.missing.first?.first == 0)
        try await tool.changeStore("UPDATE stream SET evicted = evicted - 3 WHERE number = 0")
        let changed = try await tool.audit(stream, "--store", tool.store)
        #expect(changed.status == 1 && changed.report.unexplained == 3)
        #expect(changed.report.streams.first?.stores.first?.missing.map(\.explanation) == ["lost or discarded"])
    }

    @Test func `a copied store's records are accounted for under both identities`() async throws {
        let stream = "audit-copied"
        let first = try await tool(stream)
        _ = try await first.run("save", stream, "--submit", input: lines(10))
        _ = try await first.run("save", stream, input: lines(5))
        let second = try first.copy()
        for tool in [first, second] { _ = try await tool.run("save", stream, "--submit", input: lines(20)) }
        for tool in [first, second] {
            let audit = try await tool.audit(stream, "--store", tool.store)
            #expect(audit.status == 0 && audit.report.missing.isEmpty)
            let stores = try #require(audit.report.streams.first?.stores).sorted { ($0.first ?? 0) < ($1.first ?? 0) }
            #expect(stores.map(\.first) == [0, 15] && stores.map(\.last) == [34, 34])
            #expect(stores.map(\.delivered) == [35, 20] && stores.map(\.repeated) == [5, 0])
        }
    }

    @Test func `what only a copy of the store still has is held`() async throws {
        let stream = "audit-held-by-copy"
        let first = try await tool(stream)
        _ = try await first.run("save", stream, input: lines(5))
        let second = try first.copy()
        let file = first.home.path("status.json")
        _ = try await second.run("save", stream, input: lines(1))
        try Data(try await second.run("status", "--json").out.utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await first.run("clear", "--yes").status == 0)
        let audit = try await first.audit(stream, "--store", first.store, "--status", file)
        #expect(audit.status == 0 && audit.report.missing.sorted() == ["0-4 held", "5-5 held"])
    }

    @Test(arguments: 1...(isFull ? 20 : 2))
    func `there is no false alarm after kills, failures and discards`(run: Int) async throws {
        var random = SeededRandom(UInt64(run))
        let stream = "audit-run-\(run)-partial-\(run % 3 * 2)"
        let tool = try await tool(stream)
        for round in 0..<4 {
            let words = ["save", stream] + (Bool.random(using: &random) ? ["-p", "given"] : [])
            let limit = Int.random(in: 0..<4, using: &random) == 0 ? ["--limit", "20K", "--max-record", "1K"] : []
            let running = try tool.start(words + limit + (round == 1 ? ["--submit"] : []))
            running.write(lines(Int.random(in: 1..<600, using: &random)))
            _ = await running.end()
            guard round != 3 else { break }
            let submit = try tool.start(["submit"])
            // The moment of the kill is what is tested.
            try await Task.sleep(for: .milliseconds(Int.random(in: 1..<150, using: &random)))
            if round != 2 { _ = submit.signal(SIGKILL) }
            _ = await submit.end()
        }
        let audit = try await tool.audit(stream, "--store", tool.store)
        #expect(audit.status == 0 && audit.report.unexplained == 0, "\(audit.report.missing)")
    }

    @Test func `aggregated records are accounted for one by one`() async throws {
        let stream = "audit-aggregated"
        let tool = try await tool(stream)
        let moto = try await MotoServer.shared()
        var policy = RecorderPolicy.legacy
        policy.sharedEntryBytes = 51_200
        let harness = try PipelineHarness(url: moto.url, policy: policy)
        try await harness.saveAll((0..<300).map { "record \($0)" }, to: stream)
        for _ in 0..<5 { try await harness.save("x", to: stream, key: "given") }
        #expect(try await harness.flush().delivered == 305)
        try await harness.save("held", to: stream)
        #expect(try await moto.kinesisRecords(stream).count < 20)
        let audit = try await tool.audit(stream, "--store", harness.directory.path)
        let found = try #require(audit.report.streams.first)
        #expect(audit.status == 0 && found.records == 305 && found.foreign == 5)
        #expect(found.stores.map(\.delivered) == [300] && audit.report.missing == ["300-300 held"])
    }

    @Test func `with --random-keys, records have no identity`() async throws {
        let stream = "audit-random"
        let tool = try await tool(stream)
        #expect(try await tool.run("save", stream, "--submit", "--random-keys", input: lines(10)).status == 0)
        _ = try await tool.run("save", stream, input: lines(10))
        #expect(try await tool.run("submit", "--random-keys").status == 0)
        let found = try #require(try await tool.audit(stream).report.streams.first)
        #expect(found.records == 20 && found.foreign == 20 && found.stores.isEmpty)
        let both = try await tool.run("submit", "--random-keys", "--omit-keys")
        #expect(both.status == 64 && both.err.contains("--omit-keys and --random-keys exclude each other"))
    }

    @Test func `a store explains the records that it sent under random keys`() async throws {
        let stream = "audit-unnamed"
        let tool = try await tool(stream)
        for options in [[], ["--random-keys"], []] {
            _ = try await tool.run("save", stream, input: lines(10))
            #expect(await (try tool.start(["submit"] + options)).end().status == 0)
        }
        let audit = try await tool.audit(stream, "--store", tool.store)
        #expect(audit.status == 0 && audit.report.missing == ["10-19 unnamed"])
        let text = try await tool.run("audit", stream, "--store", tool.store).out
        #expect(text.contains("10 sent under random keys, or without keys"))
        // As many, and no more.
        _ = try await tool.run("save", stream, input: lines(5))
        try await tool.changeStore(
            """
            UPDATE stream SET cursor = cursor + 3 WHERE number = 1;
            UPDATE stream SET records = records - 3;
            UPDATE stream SET delivered = delivered + 3 WHERE number = 0;
            """
        )
        #expect(try await tool.run("submit").status == 0)
        let changed = try await tool.audit(stream, "--store", tool.store)
        #expect(changed.status == 1 && changed.report.unexplained == 3)
        #expect(changed.report.missing == ["10-19 lost or unnamed", "30-32 lost or unnamed"])
    }

    // MARK: many records

    @Test func `an audit keeps ranges, not records`() async throws {
        let shards = 8
        let records = Self.isFull ? 10_000_000 : 80_000
        let keys = NumberedKeys()
        // As a hash spreads them: any shard may have any record, and each has as many. Every 1,000th one was lost.
        let stream = try ReadableStream(
            Dictionary(
                uniqueKeysWithValues: (0..<shards).map { shard in
                    let spread = ReadableStream.Shard(count: records / shards) { index in
                        let ordinal = index * shards + (shard + index / 7 % shards + index % 3) % shards
                        // Many arrive in the same second.
                        let arrival = 1_700_000_000 + Double(index / 50_000)
                        return .init(key: ordinal % 1_000 == 999 ? "other" : keys[Int64(ordinal)], arrival: arrival)
                    }
                    return ("shard-\(shard)", spread)
                }
            ),
            pageSize: 5_000
        )
        let tool = try Tool(to: stream.url)
        let start = ContinuousClock.now
        let measured = """
            import resource, subprocess, sys
            status = subprocess.call(sys.argv[1:])
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
            sys.exit(status)
            """
        let ran = await (try tool.start(under: ["python3", "-c", measured], ["audit", "--json", "many"])).end()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let report = try JSONDecoder().decode(AuditOutput.self, from: Data(ran.out.utf8))
        let kilobytes = try #require(Int(ran.err.split(separator: "\n").last ?? ""))
        print("audit: records=\(records) seconds=\(seconds) records/s=\(Double(records) / seconds) KiB=\(kilobytes)")
        #expect(ran.status == 1 && report.streams.first?.records == records)
        #expect(kilobytes < (Self.isFull ? 60 << 10 : 200 << 10))
    }
}

extension Tool {
    /// The directory of its stores.
    var store: String { home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder") }

    /// A tool with a copy of its stores.
    func copy() throws -> Tool {
        var copy = try Tool()
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: copy.store).deletingLastPathComponent().path,
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(atPath: store, toPath: copy.store)
        copy.environment = environment.merging(["HOME": copy.home.path]) { $1 }
        return copy
    }

    /// Changes its Kinesis store as no program does, and hides that another program did it: the note of the last writer fits.
    func changeStore(_ statements: String) async throws {
        let script = """
            import os, sqlite3, sys
            path = sys.argv[1]
            database = sqlite3.connect(path)
            database.executescript(sys.argv[2])
            database.close()
            found = os.stat(path)
            time = divmod(found.st_ctime_ns, 10 ** 9)
            with open(path + ".lock", "r+") as lock:
                lock.write(f"{found.st_dev}:{found.st_ino}:{found.st_size}:{time[0]}.{time[1]} 0\\n")
            """
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", "-c", script, "\(store)/kinesis.db", statements]
        let end = try ProcessEnd(starting: python)
        await end.finished()
        #expect(python.terminationStatus == 0)
    }
}
