import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// A disk without a free byte. Whatever filled it, each record that is stored leaves once.
    @Suite struct FullDisk {
        enum Filling: String, CaseIterable, Sendable {
            case save, follow, processes, neighbor
        }

        /// A small disk, how it is filled, and how many programs open the store before it is sent.
        struct Case: Sendable, CustomTestStringConvertible {
            let kind: SmallDisk.Kind
            var megabytes = 16
            var filling = Filling.save
            var openings = 3

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
            #expect(stored > one.megabytes * 100 && free == 0 && freeAfter == 0)
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
            let service = try CountingService { $0 == 0 }
            let store = try PipelineHarness(in: "\(disk.path)/store", to: service.url)
            var stored = 0
            while (try? await store.save("\(stored) " + String(repeating: "x", count: 700))) != nil { stored += 1 }
            try disk.fill()
            var delivered = 0
            for _ in 0..<3 where delivered < stored { delivered += try await store.flush().delivered }
            #expect(delivered == stored && service.distinct == stored && service.repeats == 0)
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
    private let tool = "\(BuiltProgram.directory)/kinesis-recorder"

    init(_ one: FaultRows.FullDisk.Case, on disk: String, in directory: TemporaryDirectory) {
        self.one = one
        files = directory
        path = "\(disk)/store"
    }

    /// The records in the store, read without changing it.
    var records: Int {
        get throws {
            let connection = try SQLiteConnection(path: "\(path)/kinesis.db", access: .readOnly)
            return Int(try connection.integer("SELECT records FROM stream WHERE number = 0") ?? -1)
        }
    }

    func run(_ words: [String], to service: CountingService? = nil) async throws -> BuiltProgram.Ran {
        try await BuiltProgram.run(
            "kinesis-recorder",
            words + ["--directory", path],
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
        let size = one.megabytes < 100 ? 1_000 : 8_000
        let needed = one.megabytes << 20
        switch one.filling {
        case .save: #expect(try await save(try lines(needed / size, named: "save", bytes: size)) == 74)
        case .neighbor: #expect(try await save(try lines(needed / size / 2, named: "save", bytes: size)) == 0)
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

    private func save(_ input: String) async throws -> Int32 {
        let ran = try await run(["save", "app", "--limit", "0", "--quiet", "-f", input])
        #expect(ran.status == 0 || ran.err.contains("disk is full"), "\(ran.err)")
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

    /// `isThrottled` says which records of a request, by their index, come too early; a request of one never does.
    init(isThrottled: @escaping @Sendable (Int) -> Bool = { _ in false }) throws {
        let counts = Counts()
        self.counts = counts
        server = try LocalServer(keepsRequests: false) { request, _ in
            counts.requests.withLock { $0 += 1 }
            let records = PutRequestBody(request.body).records
            let answers = records.enumerated().map { index, record in
                guard records.count == 1 || !isThrottled(index) else {
                    return #"{"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"slow down"}"#
                }
                counts.records.withLock { $0[Data(record.data.prefix(100)), default: 0] += 1 }
                return #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#
            }
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(answers.joined(separator: ","))]}"#)
        }
    }
}
