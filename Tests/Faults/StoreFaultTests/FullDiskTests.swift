import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// A disk without a free byte. Whatever filled it, each record that is stored leaves once.
    @Suite struct FullDisk {
        enum Filling: String, CaseIterable, Sendable {
            case save, follow, processes, neighbor
            /// By a neighbor, beside a store whose log another program has removed: no space is allocated for settling.
            case restored
        }

        /// A small disk, how it is filled, and how many programs open the store before it is sent.
        struct Case: Sendable, CustomTestStringConvertible {
            let kind: SmallDisk.Kind
            var megabytes = 16
            var filling = Filling.save
            var openings = 3

            var diskBytes: Int { megabytes << 20 }
            var lineBytes: Int { megabytes < 100 ? 1_000 : 8_000 }
            var testDescription: String { "\(kind.rawValue), \(megabytes) MB, filled by \(filling)" }

            static let all: [Case] =
                isLongRun
                ? [24, 64, 256].flatMap { megabytes in
                    SmallDisk.Kind.allCases.flatMap { kind in
                        Filling.allCases.map { Case(kind: kind, megabytes: megabytes, filling: $0, openings: 100) }
                    }
                }
                : SmallDisk.Kind.allCases.map { Case(kind: $0) }
                    + Filling.allCases.dropFirst().map { Case(kind: .tmpfs, filling: $0) }
        }

        private func disk(_ one: Case, _ directory: TemporaryDirectory) throws -> SmallDisk? {
            let disk =
                geteuid() == 0 ? try SmallDisk(directory, kilobytes: one.megabytes * 1_024, kind: one.kind) : nil
            if disk == nil { print("R63 \(one.testDescription) skipped: it cannot be made and mounted here.") }
            return disk
        }

        @Test(arguments: Case.all)
        func `a store without a free byte on its disk sends each record once`(one: Case) async throws {
            let directory = try TemporaryDirectory()
            guard let disk = try disk(one, directory) else { return }
            let store = FilledStore(one, on: disk.path, in: directory)
            try await store.fill()
            try disk.fill()
            let (stored, free) = (try store.records, disk.freeBytes)
            let more = try await store.open(one.openings)
            // A program that ends gives back what the log does not need; others take it.
            try disk.fill()
            let freeAfter = disk.freeBytes
            let service = try CountingService()
            let ran = try await store.run(["submit", "--quiet"], to: service)
            report(
                "R63 \(one.testDescription):",
                [
                    "stored": stored, "free": free, "openings": one.openings, "saved by them": more,
                    "arrived": service.distinct, "repeats": service.repeats, "requests": service.requests,
                    "status": ran.status,
                ]
            )
            // A page that the last of the programs gave back may be free before the openings.
            #expect(stored * one.lineBytes > one.diskBytes / 4 && free <= 4_096 && freeAfter == 0)
            #expect(ran.status == 0, "\(ran.err)")
            #expect(service.distinct == stored + more && service.repeats == 0)
            #expect(try store.records == 0)
            #expect(try await store.open(1) == 1)
            #expect(try await store.run(["clear", "--yes"]).status == 0)
            #expect(try store.records == 0)
        }

        @Test(arguments: SmallDisk.Kind.allCases)
        func `a store without a free byte on its disk can be cleared`(kind: SmallDisk.Kind) async throws {
            let directory = try TemporaryDirectory()
            let one = Case(kind: kind)
            guard let disk = try disk(one, directory) else { return }
            let store = FilledStore(one, on: disk.path, in: directory)
            try await store.fill()
            try disk.fill()
            let ran = try await store.run(["clear", "--yes"])
            #expect(ran.status == 0, "\(ran.err)")
            #expect(try store.records == 0 && disk.freeBytes > 0)
            #expect(try await store.open(1) == 1)
        }

        @Test func `records that a throttling stream leaves in a full store are sent once`() async throws {
            let directory = try TemporaryDirectory()
            guard let disk = try disk(Case(kind: .tmpfs, megabytes: 2), directory) else { return }
            // The first of each request comes too early: it stays while the others leave.
            let service = try CountingService { index, _ in index == 0 }
            let store = try PipelineHarness(in: "\(disk.path)/store", to: service.url)
            var stored = 0
            while (try? await store.save("\(stored) " + String(repeating: "x", count: 700))) != nil { stored += 1 }
            try disk.fill()
            var delivered = 0
            for _ in 0..<3 where delivered < stored { delivered += try await store.flush().delivered }
            #expect(delivered == stored && service.distinct == stored && service.repeats == 0)
        }

        /// When another program fills the disk.
        enum Moment: CaseIterable, Sendable {
            case betweenFlushes, duringLargeRequest, beforeRetry
        }

        @Test(arguments: Moment.allCases)
        func `a large batch of which a part is throttled leaves a disk that another program fills`(at moment: Moment)
            async throws
        {
            let directory = try TemporaryDirectory()
            guard let disk = try disk(Case(kind: .tmpfs, megabytes: 64), directory) else { return }
            let path = disk.path
            let largeRequests = Locked(0)
            let service = try CountingService { index, count in
                let isFirst = largeRequests.withLock { large in
                    if index == 0, count > 100 { large += 1 }
                    return count > 100 && large == 1
                }
                if isFirst, index == 0, moment != .betweenFlushes { SmallDisk.fill(path) }
                return index % 2 == 0 || moment == .beforeRetry && isFirst
            }
            let store = try PipelineHarness(in: "\(disk.path)/store", to: service.url)
            try await store.save("first")
            #expect(try await store.flush().delivered == 1)
            store.pipeline.configure { $0.batchByteLimit = 4 << 20 }
            let filler = String(repeating: "x", count: 7_000)
            try await store.saveAll((0..<400).map { "\($0) \(filler)" })
            if moment == .betweenFlushes { try disk.fill() }
            let flushed = try await store.flush()
            FaultRows.report("R63 filled \(moment):", ["delivered": flushed.delivered, "requests": service.requests])
            #expect(flushed.failures.isEmpty && flushed.delivered == 400, "\(flushed.failures)")
            #expect(service.distinct == 401 && service.repeats == 0)
            #expect(try store.pipeline.totals().records == 0)
        }

        /// More streams than a log has room for, unless they are counted.
        private func storeOfManyStreams(_ count: Int, on disk: borrowing SmallDisk, _ url: String) async throws
            -> PipelineHarness
        {
            let store = try PipelineHarness(in: "\(disk.path)/store", to: url)
            for number in 0..<count {
                let name = "\(number)" + String(repeating: "x", count: 110)
                if number % 1_000 == 999 || number == count - 1 {
                    try await store.save("\(number)", to: name)
                } else {
                    store.pipeline.save(Data("\(number)".utf8), stream: name, partitionKey: nil) { _ in }
                }
            }
            return store
        }

        @Test func `a store of many streams on a full disk can be cleared`() async throws {
            let directory = try TemporaryDirectory()
            guard let disk = try disk(Case(kind: .tmpfs), directory) else { return }
            let store = try await storeOfManyStreams(10_000, on: disk, "http://127.0.0.1:9")
            try disk.fill()
            #expect(try await store.clear() == 10_000)
            #expect(try store.pipeline.totals().records == 0)
        }

        @Test func `a store of many streams that another program has closed leaves a full disk`() async throws {
            let directory = try TemporaryDirectory()
            let one = Case(kind: .tmpfs)
            guard let disk = try disk(one, directory) else { return }
            do { _ = try await storeOfManyStreams(4_000, on: disk, "http://127.0.0.1:9") }
            let store = FilledStore(one, on: disk.path, in: directory)
            try store.removeLog()
            try disk.fill()
            let service = try CountingService()
            let ran = try await store.run(["submit", "--quiet"], to: service)
            #expect(ran.status == 0, "\(ran.err)")
            #expect(service.distinct == 4_000 && service.repeats == 0)
        }

        @Test(arguments: SmallDisk.Kind.allCases)
        func `a disk with too little space for a log's shared memory ends no program`(kind: SmallDisk.Kind) async throws
        {
            let directory = try TemporaryDirectory()
            let one = Case(kind: kind)
            guard let disk = try disk(one, directory) else { return }
            let store = FilledStore(one, on: disk.path, in: directory)
            try await store.fill()
            var more = 0
            for kilobytes in stride(from: 0, through: 36, by: 4) {
                // Another program takes the space of the shared memory, and of the reserve.
                for end in ["-shm", ".reserve"] { unlink("\(store.path)/kinesis.db\(end)") }
                try disk.fill(but: kilobytes)
                more += try await store.open(1)
            }
            let stored = try store.records
            try disk.freeSomeSpace()
            let service = try CountingService()
            #expect(try await store.run(["submit", "--quiet"], to: service).status == 0)
            #expect(service.distinct == stored && service.repeats == 0 && stored > more)
        }

        /// Two openings at once on a full disk may leave all of the reserve to one store.
        @Test(arguments: SmallDisk.Kind.allCases)
        func `a store whose reserve another store has leaves a full disk`(kind: SmallDisk.Kind) async throws {
            let directory = try TemporaryDirectory()
            let one = Case(kind: kind)
            guard let disk = try disk(one, directory) else { return }
            let store = FilledStore(one, on: disk.path, in: directory)
            let other = FilledStore(one, on: disk.path, in: directory, key: "other")
            #expect(try await other.open(1) == 1)
            try await store.fill()
            for end in ["-shm", ".reserve"] { unlink("\(store.path)/kinesis.db\(end)") }
            try disk.fill()
            let service = try CountingService()
            let stored = try store.records
            for store in [store, other] {
                let ran = try await store.run(["submit", "--quiet"], to: service)
                #expect(ran.status == 0, "\(ran.err)")
            }
            #expect(service.distinct == stored + 1 && service.repeats == 0)
        }

        @Test func `an opening that needs the reserve puts back what is left`() async throws {
            let directory = try TemporaryDirectory()
            let one = Case(kind: .tmpfs)
            guard let disk = try disk(one, directory) else { return }
            let store = FilledStore(one, on: disk.path, in: directory)
            try await store.fill()
            // Another program takes the space of the shared memory.
            try FileManager.default.removeItem(atPath: "\(store.path)/kinesis.db-shm")
            try disk.fill()
            for _ in 0..<3 {
                _ = try await store.open(1)
                let size = try FileManager.default.attributesOfItem(atPath: "\(store.path)/kinesis.db.reserve")[.size]
                #expect(try #require(size as? Int) >= 192 * 1_024)
            }
            let stored = try store.records
            let service = try CountingService()
            #expect(try await store.run(["submit", "--quiet"], to: service).status == 0)
            #expect(service.distinct == stored && service.repeats == 0)
        }
    }
}

/// A store on a small disk, which the command line fills, opens and sends.
private struct FilledStore {
    let path: String
    private let one: FaultRows.FullDisk.Case
    private let files: TemporaryDirectory
    private let key: String?
    private let tool = "\(BuiltProgram.directory)/kinesis-recorder"

    init(_ one: FaultRows.FullDisk.Case, on disk: String, in directory: TemporaryDirectory, key: String? = nil) {
        self.one = one
        self.key = key
        files = directory
        path = "\(disk)/store"
    }

    /// The records in the store, read from a copy: a full disk may have no room for a reader.
    var records: Int {
        get throws {
            let copy = files.path("copy \(UUID())")
            defer { for end in ["", "-wal", "-shm"] { unlink(copy + end) } }
            for end in ["", "-wal"] {
                try? FileManager.default.copyItem(atPath: "\(path)/kinesis.db\(end)", toPath: copy + end)
            }
            let connection = try SQLiteConnection(path: copy, access: .readWrite)
            return Int(try connection.integer("SELECT records FROM stream WHERE number = 0") ?? -1)
        }
    }

    func run(_ words: [String], to service: CountingService? = nil) async throws -> BuiltProgram.Ran {
        try await BuiltProgram.run(
            "kinesis-recorder",
            words + ["--directory", path] + (key.map { ["--key", $0] } ?? []),
            environment: [
                "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": service?.url ?? "http://127.0.0.1:9",
                "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "no_proxy": "127.0.0.1",
            ]
        )
    }

    /// Saves one line in each of several programs; returns how many say that it is stored.
    func open(_ count: Int) async throws -> Int {
        var saved = 0
        for number in 0..<count {
            let line = try lines(1, named: "opening \(number) \(UUID())", bytes: 1)
            switch try await run(["save", "app", "--limit", "0", "--quiet", "-f", line]).status {
            case 0: saved += 1
            case 74: break
            case let status: Issue.record("status \(status)")
            }
        }
        return saved
    }

    /// Stores until nothing more fits on the disk.
    func fill() async throws {
        let (size, needed) = (one.lineBytes, one.diskBytes)
        switch one.filling {
        case .save: #expect(try await save(try lines(needed / size, named: "save", bytes: size)) == 74)
        case .neighbor, .restored:
            #expect(try await save(try lines(needed / size / 2, named: "save", bytes: size)) == 0)
            if one.filling == .restored { try removeLog() }
        case .processes:
            let inputs = try (0..<50).map { try lines(needed / size / 20, named: "process \($0)", bytes: size) }
            let ends = try await withThrowingTaskGroup(of: Int32.self) { group in
                for input in inputs { group.addTask { try await save(input) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ends == [0, 74] || ends == [74])
        case .follow:
            let log = files.path("errors")
            let input = try lines(needed / size, named: "follow", bytes: size)
            let words = [tool, "follow", "app", input, "--limit", "0", "--directory", path]
            let follower = try Child(
                under: ["sh", "-c", "exec \"$@\" > '\(log)' 2>&1", "sh"],
                program: words[0],
                arguments: Array(words.dropFirst())
            )
            while (try? String(contentsOfFile: log, encoding: .utf8))?.contains("disk is full") != true {
                try await Task.sleep(for: .milliseconds(20))
            }
            follower.terminate()
            _ = await follower.end()
        }
    }

    /// Does what any program does with SQLite that closes the store.
    func removeLog() throws {
        do { _ = try SQLiteConnection(path: "\(path)/kinesis.db", access: .readWrite).integer("SELECT 1 FROM stream") }
        #expect(!FileManager.default.fileExists(atPath: "\(path)/kinesis.db-wal"))
    }

    private func save(_ input: String) async throws -> Int32 {
        let ran = try await run(["save", "app", "--limit", "0", "--quiet", "-f", input])
        // Of fifty programs on a busy machine one may wait for the others for too long.
        #expect(ran.status == 0 || ["disk is full", "Another process"].contains { ran.err.contains($0) }, "\(ran.err)")
        return ran.status
    }

    /// A file of lines that differ.
    private func lines(_ count: Int, named name: String, bytes: Int) throws -> String {
        let path = files.path("lines \(UUID())")
        let filler = String(repeating: "x", count: bytes)
        let text = (0..<count).map { "\(name) \($0) \(filler)\n" }.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// A Kinesis endpoint that counts how often it accepted each record, by the beginning of its text.
final class CountingService: Sendable {
    private final class Counts: Sendable {
        let records = Locked<[Data: Int]>([:])
        let requests = Locked(0)
    }

    private let counts: Counts
    private let server: LocalServer

    var url: String { server.url }
    var requests: Int { counts.requests.withLock(\.self) }
    var distinct: Int { counts.records.withLock { $0.count } }
    var repeats: Int { counts.records.withLock { $0.values.reduce(0) { $0 + $1 - 1 } } }

    /// `isThrottled` says which records of a request, by their index and the request's count, come too early; a request of one
    /// never does.
    init(isThrottled: @escaping @Sendable (Int, Int) -> Bool = { _, _ in false }) throws {
        let counts = Counts()
        self.counts = counts
        server = try LocalServer(keepsRequests: false) { request, _ in
            counts.requests.withLock { $0 += 1 }
            let records = PutRequestBody(request.body).records
            let answers = records.enumerated().map { index, record in
                guard records.count == 1 || !isThrottled(index, records.count) else {
                    return #"{"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"slow down"}"#
                }
                counts.records.withLock { $0[Data(record.data.prefix(100)), default: 0] += 1 }
                return #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#
            }
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(answers.joined(separator: ","))]}"#)
        }
    }
}
