import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// Answers that redirect, never end, never arrive, or are not HTTP: time and memory are bounded, nothing is deleted.
@Suite(.timeLimit(.minutes(10))) struct BrokenAnswerTests {
    private let pauses = [Duration.milliseconds(50), .milliseconds(100)]

    @Test(arguments: [301, 302, 303, 307, 308], [StreamServiceDescription.kinesis, .firehose])
    func `a redirect is not followed`(status: Int, service: StreamServiceDescription) async throws {
        let elsewhere = try LocalServer { _, _ in .json(200, "{}") }
        let location = [HTTPHeader("Location", elsewhere.url + "/records")]
        let row = OutcomeRow(
            name: "redirect",
            service: service,
            answer: { _ in .json(status, "", headers: location) },
            kept: nil,
            cause: .service(.redirect),
            says: "\(status)"
        )
        try await row.verify()
        #expect(elsewhere.connectionCount == 0)
    }

    @Test func `an endless answer is read up to 4 MiB`() async throws {
        let written = ByteCount()
        let row = OutcomeRow(
            name: "endless",
            answer: { _ in .endless(status: 200, written: written) },
            requests: 3,
            kept: nil,
            cause: .transport(.responseTooLarge),
            says: "4194304 bytes",
            delays: pauses
        )
        try await row.verify()
        // The bytes beyond the limit are in the buffers of two sockets.
        let megabyte = 1 << 20
        #expect(written.value > 12 * megabyte)
        #expect(written.value < 60 * megabyte)
    }

    @Test func `an endless error is read up to 4 MiB`() async throws {
        let row = OutcomeRow(
            name: "endless error",
            answer: { _ in .endless(status: 500) },
            requests: 3,
            kept: nil,
            cause: .transport(.responseTooLarge),
            says: "4194304 bytes",
            delays: pauses
        )
        try await row.verify()
    }

    @Test func `a request without an answer ends after the stall timeout`() async throws {
        let row = OutcomeRow(
            name: "stall",
            timeouts: HTTPTimeouts(stall: .seconds(2)),
            answer: { _ in .stall },
            requests: 3,
            kept: nil,
            cause: .transport(.timedOut),
            says: "no byte moved",
            delays: pauses
        )
        try await row.verify()
    }

    @Test func `a trickling answer ends after the total timeout, however steady it is`() async throws {
        let row = OutcomeRow(
            name: "trickle",
            timeouts: HTTPTimeouts(stall: .seconds(10), total: .seconds(3)),
            answer: {
                .trickle(status: 200, body: Array($0.body($0.texts.map { _ in "{}" }).utf8), every: .seconds(20))
            },
            requests: 3,
            kept: nil,
            cause: .transport(.timedOut),
            delays: pauses
        )
        try await row.verify()
    }

    @Test func `a trickling answer that ends in time delivers`() async throws {
        let row = OutcomeRow(
            name: "slow",
            answer: { call in
                let body = call.body(call.texts.map { _ in call.proof })
                return .trickle(status: 200, body: Array(body.utf8), every: .milliseconds(1))
            }
        )
        try await row.verify()
    }

    @Test func `an answer that is not HTTP proves nothing`() async throws {
        let row = OutcomeRow(
            name: "mail server",
            answer: { _ in .raw(Array("220 mail.example ESMTP\r\n".utf8)) },
            requests: 3,
            kept: nil,
            cause: .transport(.unreadableResponse),
            delays: pauses
        )
        try await row.verify()
    }

    @Test func `the number of interim responses is limited`() async throws {
        let again = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        let row = OutcomeRow(
            name: "100 Continue",
            answer: { _ in .raw((0..<20_000).flatMap { _ in again }) },
            requests: 3,
            kept: nil,
            cause: .transport(.responseTooLarge),
            delays: pauses
        )
        try await row.verify()
    }
}
