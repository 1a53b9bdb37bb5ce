import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Strict order of the records of a partition key.
@Suite(.timeLimit(.minutes(5))) struct KeepsOrderTests {
    @Test(arguments: [nil, 51_200])
    func `no key is in two entries of a request, and every key's records arrive in order`(entryBytes: Int?) async throws
    {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try PipelineHarness(to: server) {
            $0.keepsOrder = true
            $0.sharedEntryBytes = entryBytes
        }
        for number in 0..<60 { try await harness.save("\(number)", key: "key \(number % 5)") }
        try await harness.saveAll(["x", "y", "z"])
        #expect(try await harness.flush().delivered == 63)
        let requests = server.requests.map(SentEntry.all)
        for request in requests {
            let keys = request.compactMap(\.key)
            #expect(Set(keys).count == keys.count)
        }
        #expect(requests.count == (entryBytes == nil ? 12 : 1))
        let numbers = requests.joined().flatMap(\.texts).compactMap(Int.init)
        for key in 0..<5 {
            let ofKey = numbers.filter { $0 % 5 == key }
            #expect(ofKey == ofKey.sorted() && ofKey.count == 12)
        }
    }

    @Test(arguments: [nil, 1_024], ["InternalFailure", ""])
    func `what is younger than a record that stays is not sent, until that was answered for`(
        entryBytes: Int?,
        code: String
    ) async throws {
        let isFailing = Recorded<Int>()
        let accepted = Recorded<[Int]>()
        let fails: @Sendable (SentEntry) -> Bool = { $0.texts.contains("4") && isFailing.all.isEmpty }
        let server = try LocalServer { request, _ in
            accepted.append(SentEntry.all(in: request).filter { !fails($0) }.flatMap(\.texts).compactMap(Int.init))
            return .entries(request) { fails($0) ? code : nil }
        }
        let harness = try PipelineHarness(
            to: server,
            {
                $0.keepsOrder = true
                $0.sharedEntryBytes = entryBytes
                $0.batchByteLimit = 600
            },
            calling: { $0.maximumRetries = 1 }
        )
        for number in 0..<300 { try await harness.save("\(number)", key: "key \(number % 3)") }
        let first = try await harness.flush()
        #expect(first.delivered < 300 && first.failures.count == 1)
        isFailing.append(1)
        #expect(try await harness.flush().delivered == 300 - first.delivered)
        let arrived = accepted.all.flatMap(\.self)
        #expect(arrived.count == 300)
        for key in 0..<3 {
            let ofKey = arrived.filter { $0 % 3 == key }
            #expect(ofKey == ofKey.sorted())
        }
    }

    /// How long the pauses of a drain are, if three of ten entries fail with a code.
    private func pauses(failing code: String) async throws -> Duration {
        let random = Locked(SeededRandom(98))
        let paused = Locked(Duration.zero)
        let arrived = Recorded<String>()
        let server = try LocalServer { request, _ in
            .kinesis(request) { text in
                guard random.withLock({ Int.random(in: 0..<10, using: &$0) }) > 2 else { return code }
                arrived.append(text)
                return nil
            }
        }
        let harness = try PipelineHarness(to: server, { $0.keepsOrder = true }) { call in
            call.random = { 0.5 }
            call.pause = { duration in paused.withLock { $0 += duration } }
        }
        for number in 0..<600 {
            harness.pipeline.save(Data("\(number)".utf8), stream: "stream", partitionKey: "key \(number % 10)") { _ in }
        }
        repeat { _ = try await harness.flush() } while try harness.records() > 0
        for key in 0..<10 {
            let ofKey = arrived.all.compactMap(Int.init).filter { $0 % 10 == key }
            #expect(ofKey == ofKey.sorted() && ofKey.count == 60)
        }
        return paused.withLock { $0 }
    }

    @Test func `a stream that throttles some entries of each request drains as fast as one that fails them`()
        async throws
    {
        let failing = try await pauses(failing: "InternalFailure")
        let throttling = try await pauses(failing: "ProvisionedThroughputExceededException")
        print("600 records of 10 keys, three of ten fail: pauses of \(failing), of \(throttling) if throttled")
        #expect(throttling < failing * 3 + .seconds(5))
    }

    @Test func `without it, younger records pass one that fails`() async throws {
        let isFailing = Recorded<Int>()
        let server = try LocalServer { request, _ in
            .entries(request) { $0.texts == ["4"] && isFailing.all.isEmpty ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(to: server, calling: { $0.maximumRetries = 0 })
        for number in 0..<30 { try await harness.save("\(number)", key: "key") }
        #expect(try await harness.flush().delivered == 29)
        isFailing.append(1)
        #expect(try await harness.flush().delivered == 1)
        #expect(server.requests.flatMap(SentEntry.all).flatMap(\.texts).last == "4")
    }

    @Test func `a refused record that stays holds back its key, and costs the others no attempt`() async throws {
        let server = try LocalServer { request, _ in
            SentEntry.all(in: request).contains { $0.texts.contains("bad") }
                ? .error(400, "ValidationException") : .entries(request)
        }
        let harness = try PipelineHarness(amplify: .kinesis, maxRetries: 2, to: server) { $0.keepsOrder = true }
        for number in 0..<20 { try await harness.save(number == 7 ? "bad" : "\(number)", key: "key \(number)") }
        try await harness.save("younger", key: "key 7")
        #expect(try await harness.flush().delivered == 19)
        #expect(try harness.storedTexts() == ["bad", "younger"])
        #expect(server.requests.flatMap(SentEntry.all).allSatisfy { $0.texts != ["younger"] })
    }

    @Test(arguments: [true, false])
    func `a refused record that may be too large holds back its key until it is accepted or discarded`(
        isAccepted: Bool
    ) async throws {
        let isFirstFlush = Locked(true)
        let arrived = Recorded<String>()
        let server = try LocalServer { request, _ in
            guard request.operation == "PutRecords" else { return .error(400, "AccessDeniedException") }
            let isFirst = isFirstFlush.withLock(\.self)
            let names = PutRequestBody(request.body).records.map { $0.data.count > 1 << 20 ? "older" : "younger" }
            if names.contains("older"), isFirst || !isAccepted { return .error(400, "ValidationException") }
            for name in names { arrived.append(name) }
            return .kinesis(request) { _ in isFirst ? "" : nil }
        }
        let harness = try PipelineHarness(to: server) {
            $0.keepsOrder = true
            $0.maximumRecordBytes = 10 << 20
            $0.limits.bytes = 0
        }
        try await harness.save(Data(count: 2 << 20), key: "key")
        try await harness.save("younger", key: "key")
        _ = try await harness.flush()
        #expect(arrived.all.isEmpty)
        isFirstFlush.withLock { $0 = false }
        for _ in 0..<4 { _ = try await harness.flush() }
        #expect(arrived.all == (isAccepted ? ["older", "younger"] : ["younger"]))
        #expect(try harness.records() == 0)
        #expect(harness.events.discards.map(\.count) == (isAccepted ? [] : [1]))
    }

    @Test func `requests that are in flight at the same time share no key`() async throws {
        let inFlight = Locked<(keys: [String: Int], shared: Int, most: Int)>(([:], 0, 0))
        let server = try LocalServer { request, _ in
            let keys = SentEntry.all(in: request).compactMap(\.key)
            inFlight.withLock { state in
                for key in keys {
                    if state.keys[key, default: 0] > 0 { state.shared += 1 }
                    state.keys[key, default: 0] += 1
                }
                state.most = max(state.most, state.keys.values.reduce(0, +))
            }
            defer { inFlight.withLock { state in for key in keys { state.keys[key, default: 0] -= 1 } } }
            return .entries(request)
        }
        let harness = try PipelineHarness(to: server) {
            $0.keepsOrder = true
            $0.requestsPerStream = 4
            $0.batchByteLimit = 100
        }
        var random = SeededRandom(5)
        for number in 0..<400 {
            try await harness.save("\(number)", key: "key \(Int.random(in: 0..<40, using: &random))")
        }
        #expect(try await harness.flush().delivered == 400)
        #expect(inFlight.withLock { $0.shared } == 0)
    }
}
