import RecorderAWS
import RecorderStore
import RecorderTestSupport
import Testing

/// Failed requests, lost answers and failed records share the same retries: no record is sent more than `maxRetryCount`
/// + 1 times.
@Suite(.timeLimit(.minutes(10))) struct SharedRetriesTests {
    /// The answers of a failing service, repeated in this order.
    struct FaultSequence: Sendable, CustomTestStringConvertible {
        let name: String
        let answers: [@Sendable (ReceivedRequest) -> Reply]
        var testDescription: String { name }
    }

    private static let down: @Sendable (ReceivedRequest) -> Reply = { _ in .error(500, "InternalFailure") }
    private static let unreadable: @Sendable (ReceivedRequest) -> Reply = { _ in .json(200, "{") }
    private static let cutOff: @Sendable (ReceivedRequest) -> Reply = { _ in
        .truncated(status: 200, body: Array(#"{"Records":[{"SequenceNumber":"1"},{"#.utf8), after: 20)
    }
    private static let throttled: @Sendable (ReceivedRequest) -> Reply = { request in
        let entry = #"{"ErrorCode":"ProvisionedThroughputExceededException"}"#
        let entries = ParsedPutRequest(request).texts.map { _ in entry }
        return .json(200, #"{"Records":[\#(entries.joined(separator: ","))]}"#)
    }

    static let sequences = [
        FaultSequence(name: "down, then records throttled", answers: [down, throttled]),
        FaultSequence(name: "records throttled, then down", answers: [throttled, down]),
        FaultSequence(name: "down three times, then records throttled", answers: [down, down, down, throttled]),
        FaultSequence(name: "unreadable, then down", answers: [unreadable, down]),
        FaultSequence(name: "cut off", answers: [cutOff]),
        FaultSequence(name: "cut off, then records throttled", answers: [cutOff, throttled]),
        FaultSequence(name: "records throttled, then cut off", answers: [throttled, cutOff]),
        FaultSequence(name: "everything in turn", answers: [unreadable, down, cutOff, throttled]),
    ]

    @Test(arguments: sequences, [0, 1, 3, 5])
    func `a batch with mixed failures takes at most one request and its retries`(sequence: FaultSequence, retries: Int)
        async throws
    {
        let server = try LocalServer { request, index in sequence.answers[index % sequence.answers.count](request) }
        let harness = try PipelineHarness(.kinesis, to: server) { $0.maximumRetries = retries }
        try await harness.saveAll(["a", "b", "c"])
        let report = try await harness.flush()
        #expect((1...retries + 1).contains(server.requests.count))
        #expect(report.delivered == 0 && report.failures.count == 1)
        #expect(try harness.storedTexts() == ["a", "b", "c"])
    }

    @Test func `the rest of a partly accepted batch has only the remaining retries`() async throws {
        let server = try LocalServer { request, index in
            guard index > 1 else { return .error(500, "InternalFailure") }
            let entries = ParsedPutRequest(request).texts.map { text in
                text == "b" ? #"{"ErrorCode":"InternalFailure"}"# : #"{"SequenceNumber":"1"}"#
            }
            return .json(200, #"{"Records":[\#(entries.joined(separator: ","))]}"#)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["a", "b", "c"])
        let report = try await harness.flush()
        #expect(
            server.requests.map { ParsedPutRequest($0).texts } == [
                ["a", "b", "c"], ["a", "b", "c"], ["a", "b", "c"], ["b"],
            ]
        )
        #expect(report.delivered == 2)
        #expect(try harness.storedTexts() == ["b"])
    }

    @Test(arguments: [false, true])
    func `a retry that is accepted in part costs nothing of the quota for later ones`(keepsOrder: Bool) async throws {
        let server = try LocalServer { request, _ in
            let entries = ParsedPutRequest(request).texts.enumerated().map { index, _ in
                index == 0
                    ? #"{"SequenceNumber":"1"}"# : #"{"ErrorCode":"ProvisionedThroughputExceededException"}"#
            }
            return .json(200, #"{"Records":[\#(entries.joined(separator: ","))]}"#)
        }
        let harness = try PipelineHarness(to: server) {
            $0.keepsOrder = keepsOrder
        } calling: {
            $0.retryQuota = (available: 5, capacity: 5)
        }
        try await harness.saveAll((0..<12).map { "\($0)" })
        #expect(try await harness.flush().delivered == 12)
    }

    @Test(arguments: [0, 1, 3])
    func `a dropped kept connection adds at most the one request per attempt that libcurl repeats`(retries: Int)
        async throws
    {
        let server = try LocalServer { request, index in index == 0 ? Self.throttled(request) : .dropConnection }
        let harness = try PipelineHarness(.kinesis, to: server) { $0.maximumRetries = retries }
        try await harness.saveAll(["a", "b", "c"])
        let report = try await harness.flush()
        #expect((1...(retries + 1) * 2).contains(server.requests.count))
        #expect(report.delivered == 0 && report.failures.count == 1)
        #expect(try harness.storedTexts() == ["a", "b", "c"])
    }
}
