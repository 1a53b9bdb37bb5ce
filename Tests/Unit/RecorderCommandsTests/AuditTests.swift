import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// `audit` against streams that are made up: shards, faults, and what stores say.
@Suite(.timeLimit(.minutes(5))) struct AuditTests {
    private static let keys = NumberedKeys()

    private func records(_ ordinals: some Sequence<Int64>, at arrival: Double = 1_700_000_000) -> [ReadableStream
        .Record]
    {
        ordinals.map { .init(key: Self.keys[$0], arrival: arrival) }
    }

    @Test func `records of all shards are put together, repeats are counted, other producers' records too`()
        async throws
    {
        let stream = try ReadableStream([
            "a": .init(records([0, 3, 4, 7, 4])), "b": .init(records([1, 6]) + [.init(key: "other")]),
            "c": .init(records([2, 5])), "empty": .init([]),
        ])
        let tool = try Tool(to: stream.url)
        let audit = try await tool.audit("orders")
        #expect(audit.status == 0)
        let found = try #require(audit.report.streams.first)
        #expect(found.shards == 4 && found.records == 10 && found.foreign == 1 && found.isComplete)
        let store = try #require(found.stores.first)
        #expect(store.storeID == Self.keys.store && store.streamNumber == 1 && store.first == 0 && store.last == 7)
        #expect(store.delivered == 8 && store.repeated == 1 && store.missing.isEmpty && found.stores.count == 1)
        let text = try await tool.run("audit", "orders")
        #expect(text.status == 0 && text.out.contains("every record is accounted for"))
        #expect(text.out.contains("orders: 10 records in 4 shards, 1 of them without an identity"))
    }

    @Test func `without a store, what is missing between records is lost, and the exit status is 1`() async throws {
        let stream = try ReadableStream(["a": .init(records([3, 4, 6, 10]))])
        let tool = try Tool(to: stream.url)
        let audit = try await tool.audit("orders")
        #expect(audit.status == 1 && audit.report.unexplained == 4)
        #expect(audit.report.missing == ["5-5 lost", "7-9 lost"])
        let text = try await tool.run("audit", "orders")
        #expect(text.status == 1 && text.out.contains("\(Self.keys.store)/1 7-9: lost"))
        #expect(text.out.contains("4 records missing, and nothing says why."))
    }

    @Test func `several streams are audited one after the other`() async throws {
        let stream = try ReadableStream(["a": .init(records([0, 1]))])
        let audit = try await (try Tool(to: stream.url)).audit(
            "orders",
            "arn:aws:kinesis:us-east-1:123456789012:stream/b"
        )
        #expect(audit.status == 0 && audit.report.streams.map(\.name) == ["orders", "b"])
    }

    // MARK: what the service does

    @Test func `throttled reads are tried again, and an expired iterator is replaced`() async throws {
        let faults: [Reply] = [
            .error(400, "ProvisionedThroughputExceededException"), .error(400, "ExpiredIteratorException"),
            .error(500, "InternalFailure"),
        ]
        let stream = try ReadableStream(["a": .init(records(0..<250))], faults: faults)
        let audit = try await (try Tool(to: stream.url)).audit("orders")
        #expect(audit.status == 0 && audit.report.streams.first?.records == 250)
    }

    @Test func `an expired iterator in the middle is replaced by one after the last record`() async throws {
        let stream = try ReadableStream(
            ["a": .init(records(0..<250)), "b": .init(records([]))],
            faults: [.error(400, "ExpiredIteratorException")]
        )
        let audit = try await (try Tool(to: stream.url)).audit("orders")
        let store = try #require(audit.report.streams.first?.stores.first)
        #expect(audit.status == 0 && store.delivered == 250 && store.repeated == 0)
    }

    @Test func `shards that are split or merged during the reading are read, with their children`() async throws {
        let stream = try ReadableStream([
            "a": .init(records([0, 2]), isClosed: true), "b": .init(records([1]), isClosed: true),
            "a1": .init(records([3, 5]), isClosed: true, parent: "a"), "a2": .init(records([4]), parent: "a"),
            "c": .init(records([6]), parent: "a1"),
        ])
        let audit = try await (try Tool(to: stream.url)).audit("orders")
        #expect(audit.status == 0 && audit.report.streams.first?.shards == 5)
        #expect(audit.report.streams.first?.stores.first?.delivered == 7)
    }

    @Test func `the shard that is furthest behind is read next, and equal ones in turn`() async throws {
        let equal = try ReadableStream(["a": .init(records(0..<6)), "b": .init(records(6..<12))], pageSize: 2)
        _ = try await (try Tool(to: equal.url)).audit("orders")
        #expect(equal.pages.prefix(6) == ["a", "b", "a", "b", "a", "b"])
        let late = records(0..<6, at: 1_700_000_900)
        let behind = try ReadableStream(["a": .init(late), "b": .init(records(6..<12))], pageSize: 2)
        _ = try await (try Tool(to: behind.url)).audit("orders")
        #expect(behind.pages.prefix(6) == ["a", "b", "b", "b", "a", "a"])
    }

    @Test func `records that arrive while shards are read are no gap`() async throws {
        // The first shard has been read when both get new records; the second one's are seen at once.
        let stream = try ReadableStream(
            ["a": .init(records([0])), "b": .init(records([1]))],
            late: [1: ("b", records([3, 4])), 2: ("a", records([2]))]
        )
        let audit = try await (try Tool(to: stream.url)).audit("orders")
        #expect(audit.status == 0 && audit.report.streams.first?.stores.first?.delivered == 5)
        // What is sent from then on may have gaps.
        let other = try ReadableStream(
            ["a": .init(records([0])), "b": .init(records([1]))],
            late: [3: ("b", records([3, 4]))]
        )
        let second = try await (try Tool(to: other.url)).audit("orders")
        #expect(second.status == 0 && second.report.missing == ["2-2 newer"])
    }

    @Test func `of a stream that is older than its retention, the beginning is not judged`() async throws {
        let now = Date().timeIntervalSince1970
        // Around the oldest record, those before it are missing.
        let stream = try ReadableStream(
            ["a": .init(records([50, 53, 60], at: now - 80_000) + records([61, 63], at: now - 1_000))],
            age: 1_000
        )
        let tool = try Tool(to: stream.url)
        let audit = try await tool.audit("orders")
        #expect(audit.report.missing == ["0-49 earlier", "51-52 earlier", "54-59 earlier", "62-62 lost"])
        #expect(audit.status == 1 && audit.report.unexplained == 1 && audit.report.notJudged == 58)
        #expect(audit.report.streams.first?.isComplete == false)
        let text = try await tool.run("audit", "orders").out
        #expect(text.contains("not from the stream's beginning") && text.contains("it keeps records for 24 h"))
        #expect(text.contains("1 record missing, and nothing says why. 58 records not judged"))
    }

    @Test(arguments: [[], [7, 8, 9]] as [[Int64]])
    func `records of a store that have expired are not judged, all of them or the first ones`(left: [Int64])
        async throws
    {
        let now = Date().timeIntervalSince1970
        let stream = try ReadableStream(["a": .init([])], age: 1_000)
        var tool = try Tool(to: stream.url)
        let moto = try await MotoServer.shared()
        let name = "audit-expired-\(left.count)"
        try await moto.createStream(name)
        tool.environment["AWS_ENDPOINT_URL"] = moto.url
        let running = try tool.start(["save", name, "--submit"])
        running.write(Data((0..<10).map { "\($0)\n" }.joined().utf8))
        #expect(await running.end().status == 0)
        let keys = try await moto.kinesisRecords(name).map(\.partitionKey)
        stream.replace("a", by: keys.suffix(left.count).map { .init(key: $0, arrival: now - 1_000) })
        tool.environment["AWS_ENDPOINT_URL"] = stream.url
        let audit = try await tool.audit(name, "--store", tool.store)
        let expired = 10 - left.count
        #expect(audit.status == 1 && audit.report.notJudged == expired && audit.report.unexplained == 0)
        #expect(audit.report.missing == ["0-\(expired - 1) earlier"])
        let text = try await tool.run("audit", name, "--store", tool.store).out
        #expect(text.contains("\(expired) records not judged") && !text.contains("every record is accounted for"))
        // What the user leaves out is told, and is no failure.
        let limited = try await tool.run("audit", name, "--store", tool.store, "--since", "1h")
        #expect(limited.status == 0 && limited.out.contains("\(expired) records not judged"))
    }

    @Test func `since a time, only what arrived later is read`() async throws {
        let now = Date().timeIntervalSince1970
        let old = records([0, 9], at: now - 80_000)
        let stream = try ReadableStream(["a": .init(old + records([20, 21, 22], at: now - 1_000))])
        let tool = try Tool(to: stream.url)
        for time in ["1h", Date(timeIntervalSince1970: now - 3_600).formatted(.iso8601)] {
            let audit = try await tool.audit("orders", "--since", time)
            let store = try #require(audit.report.streams.first?.stores.first)
            #expect(audit.status == 0 && store.first == 20 && store.delivered == 3 && store.missing.isEmpty)
        }
    }

    @Test func `a checkpoint continues where the audit before it ended`() async throws {
        let stream = try ReadableStream(["a": .init(records([0, 1, 4])), "b": .init([])], pageSize: 2)
        let tool = try Tool(to: stream.url)
        let file = tool.home.path("checkpoint")
        let first = try await tool.audit("orders", "--checkpoint", file)
        #expect(first.status == 1 && first.report.missing == ["2-3 lost"])
        stream.append(records([2, 5, 5]), to: "b")
        stream.append(records([3, 4, 7]), to: "a")
        let second = try await tool.audit("orders", "--checkpoint", file)
        let store = try #require(second.report.streams.first?.stores.first)
        #expect(second.status == 1 && second.report.missing == ["6-6 lost"])
        #expect(store.delivered == 7 && store.repeated == 2 && second.report.streams.first?.records == 9)
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        let third = try await tool.run("audit", "orders", "--checkpoint", file)
        #expect(third.status == 66 && third.err.contains("Give another path, or remove it."))
    }

    @Test(arguments: [25.0, 23.0])
    func `what may have expired between two audits is told, and is not called lost`(hours: Double) async throws {
        let now = Date().timeIntervalSince1970
        let stream = try ReadableStream(["a": .init(records(0..<5, at: now - 1_000)), "b": .init([])])
        let tool = try Tool(to: stream.url)
        let file = tool.home.path("checkpoint")
        #expect(try await tool.audit("orders", "--checkpoint", file).report.streams.first?.isComplete == true)
        try AuditCheckpointFile(file).age(by: hours)
        stream.append(records([9, 10, 12], at: now), to: "a")
        stream.append(records([20, 22], at: now + 400), to: "b")
        let second = try await tool.audit("orders", "--checkpoint", file)
        let hasExpired = hours > 24
        // Of those that arrive long after the reading went on, none can be missing for this reason.
        #expect(
            second.report.missing == (hasExpired ? ["5-8 earlier", "11-11 earlier"] : ["5-8 lost", "11-11 lost"])
                + ["13-19 lost", "21-21 lost"]
        )
        #expect(second.report.streams.first?.isComplete == !hasExpired)
        #expect(second.report.streams.first?.unread.count == (hasExpired ? 1 : 0))
        let text = try await tool.run("audit", "orders", "--checkpoint", file).out
        #expect(text.contains("expired unread") == hasExpired)
        // The third audit has read everything since the second one.
        stream.append(records([24], at: now + 500), to: "b")
        #expect(try await tool.audit("orders", "--checkpoint", file).report.missing.last == "23-23 lost")
    }

    @Test func `if nothing arrived since records may have expired, no missing one is lost`() async throws {
        let stream = try ReadableStream(["a": .init(records([0, 1, 5]))])
        let tool = try Tool(to: stream.url)
        let file = tool.home.path("checkpoint")
        #expect(try await tool.audit("orders", "--checkpoint", file).status == 1)
        try AuditCheckpointFile(file).age(by: 48)
        let second = try await tool.audit("orders", "--checkpoint", file)
        #expect(second.status == 1 && second.report.notJudged == 3 && second.report.missing == ["2-4 earlier"])
    }

    @Test func `a retention that may have been raised late does not make a reading complete`() async throws {
        let now = Date().timeIntervalSince1970
        let shards = [
            "a": ReadableStream.Shard(records([50, 53], at: now - 80_000) + records([60, 62], at: now - 1_000))
        ]
        for (age, isComplete) in [(48.0, false), (23.0, true)] {
            let stream = try ReadableStream(shards, age: age, retention: 168)
            let found = try #require(try await Tool(to: stream.url).audit("orders").report.streams.first)
            #expect(found.isComplete == isComplete)
            #expect(found.stores.first?.missing.first?.explanation == (isComplete ? "lost" : "earlier"))
        }
    }

    @Test func `an audit that fails keeps what it has read in its checkpoint`() async throws {
        let stream = try ReadableStream(["a": .init(records(0..<6)), "b": .init(records(6..<12))], pageSize: 2)
        let tool = try Tool(to: stream.url)
        let file = tool.home.path("checkpoint")
        stream.fail(after: 3, with: .error(400, "AccessDeniedException"))
        let first = try await tool.run("audit", "orders", "--checkpoint", file)
        #expect(first.status == 77 && first.err.contains("\(file); the next audit with it continues there"))
        stream.fail(after: 0, with: nil)
        let second = try await tool.audit("orders", "--checkpoint", file)
        #expect(second.status == 0 && second.report.streams.first?.records == 12)
        #expect(second.report.streams.first?.stores.first?.repeated == 0)
        #expect(second.report.streams.first?.isComplete == true)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an audit that a signal stops keeps what it has read in its checkpoint`(signal: Int32) async throws {
        let stream = try ReadableStream(["a": .init(records(0..<10))], pageSize: 2)
        let tool = try Tool(to: stream.url)
        let file = tool.home.path("checkpoint")
        let isThrottled = Gate()
        stream.fail(after: 3, with: .error(400, "ProvisionedThroughputExceededException")) { isThrottled.open() }
        let running = try tool.start(["audit", "orders", "--checkpoint", file])
        try await onNewThread(named: "test-gate") { isThrottled.wait() }
        _ = running.signal(signal)
        #expect(await running.end().status == 128 + signal)
        stream.fail(after: 0, with: nil)
        let second = try await tool.audit("orders", "--checkpoint", file)
        let store = try #require(second.report.streams.first?.stores.first)
        #expect(second.status == 0 && store.delivered == 10 && store.repeated == 0)
    }

    @Test func `a signal ends an audit whose request hangs`() async throws {
        let server = try LocalServer { _, _ in .stall }
        let running = try Tool(to: server.url).start(["audit", "orders", "--read-timeout", "7d"])
        await server.received(1)
        _ = running.signal(SIGTERM)
        let ran = await running.end(closesInput: false)
        #expect(ran.status == 128 + SIGTERM, "\(ran)")
    }

    @Test func `a stream that is named twice is read once`() async throws {
        let stream = try ReadableStream(["a": .init(records([0, 1, 3]))])
        let report = try await Tool(to: stream.url).audit("orders", "orders").report
        #expect(report.missing == ["2-2 lost"] && report.streams.count == 1)
    }

    // MARK: bad input

    @Test func `what cannot be used is named, with what to do`() async throws {
        let stream = try ReadableStream(["a": .init(records([0]))])
        let tool = try Tool(to: stream.url)
        let file = tool.home.path("file")
        for (text, problem) in [
            ("x", "give a file that"), (#"[{"service":"kinesis"}]"#, "give a file that"),
            (StatusText.withoutNumbers, "it was written by an older version"),
            (StatusText.outOfRange, "out of range"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            let ran = try await tool.run("audit", "orders", "--status", file)
            #expect(ran.status == 66 && ran.err.contains("--status \(file)") && ran.err.contains(problem), "\(ran.err)")
        }
        let cases: [(words: [String], status: Int32, text: String)] = [
            (["audit"], 64, "STREAM is missing"), (["audit", "a b"], 64, "a b"),
            (["audit", "orders", "--since", "x"], 64, "give a time ago"),
            (["audit", "o", "arn:aws:kinesis:us-east-1:123456789012:stream/o"], 64, "may be the same stream"),
            (["audit", "orders", "--store", tool.home.path("nothing")], 66, "no Kinesis store"),
        ]
        for (words, status, text) in cases {
            let ran = await (try tool.start(words)).end()
            #expect(ran.status == status && ran.err.contains(text), "\(words): \(ran.err)")
        }
        let empty = try LocalServer { _, _ in .error(400, "ResourceNotFoundException") }
        let missing = try await (try Tool(to: empty.url)).run("audit", "orders")
        #expect(missing.status == 69)
    }
}

private enum StatusText {
    private static func text(_ stream: String) -> String {
        #"""
        [{"service":"kinesis","path":"p","records":0,"bytes":0,"saved":0,"delivered":0,"retried":0,"evicted":0,"expired":0,
        "rejected":0,"exhausted":0,"cleared":0,"streams":[{"name":"orders","records":0,"bytes":0\#(stream)}]}]
        """#
    }

    static let withoutNumbers = text("")
    static let outOfRange = text(
        #","number":1,"firstOrdinal":0,"nextOrdinal":9,"held":[{"storeID":"5A0C2F9E71B3D44","first":4,"last":3}]"#
    )
}

/// What `audit --json` prints.
struct AuditOutput: Decodable, Sendable {
    struct Range: Decodable, Sendable {
        let first: Int64
        let last: Int64
        let explanation: String
    }

    struct Period: Decodable, Sendable {
        let after: String
        let before: String
    }

    struct Source: Decodable, Sendable {
        let storeID: String
        let streamNumber: Int
        let first: Int64?
        let last: Int64?
        let delivered: Int
        let repeated: Int
        let held: Int
        let gone: Int
        let missing: [Range]
    }

    struct Stream: Decodable, Sendable {
        let name: String
        let shards: Int
        let records: Int
        let foreign: Int
        let isComplete: Bool
        let unread: [Period]
        let stores: [Source]
    }

    let streams: [Stream]
    let unexplained: Int
    let notJudged: Int

    /// The missing ranges of all stores, as in `5-9 lost`.
    var missing: [String] {
        streams.flatMap(\.stores).flatMap(\.missing).map { "\($0.first)-\($0.last) \($0.explanation)" }
    }
}

extension Tool {
    /// Runs `audit --json`.
    func audit(_ words: String...) async throws -> (status: Int32, report: AuditOutput) {
        let ran = await (try start(["audit", "--json"] + words)).end()
        guard let report = try? JSONDecoder().decode(AuditOutput.self, from: Data(ran.out.utf8)) else {
            throw AuditFailure(text: "audit ended with \(ran.status): \(ran.err)")
        }
        return (ran.status, report)
    }
}

/// The file of --checkpoint.
struct AuditCheckpointFile {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Changes the file as if it had been written earlier.
    func age(by hours: Double) throws {
        var text = try String(contentsOfFile: path, encoding: .utf8)
        for match in text.matches(of: /"readThrough":([0-9.]+)/).reversed() {
            let time = (Double(match.1) ?? 0) - hours * 3_600
            text.replaceSubrange(match.range, with: "\"readThrough\":\(time)")
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}

private struct AuditFailure: Error {
    let text: String
}
