import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// Expired tokens and wrong clocks are corrected once and the records delivered; if that fails, every record is kept.
@Suite(.timeLimit(.minutes(10))) struct AccessTests {
    private static let streams = ["a", "b", "c", "d"]

    @Test func `an expired token is renewed, and every stream delivers`() async throws {
        let credentials = CredentialsCache(LimitedCredentials(fetches: 2))
        let barrier = Barrier(of: Self.streams.count)
        let server = try LocalServer { request, index in
            guard request.header("X-Amz-Security-Token") == "token 1" else { return .kinesis(request) }
            barrier.waitForAll()
            return .error(400, "ExpiredTokenException")
        }
        let harness = try PipelineHarness(.kinesis, to: server) { $0.credentials = credentials }
        try await save(on: harness)
        let report = try await harness.flush()
        #expect(report.delivered == 4 && report.failures.isEmpty)
        #expect(server.requests.count == 8)
        #expect(try harness.records() == 0)
    }

    @Test func `a token that stays expired after renewal takes two requests per stream and keeps everything`()
        async throws
    {
        let credentials = CredentialsCache(LimitedCredentials(fetches: .max))
        let server = try LocalServer { _, _ in .error(400, "ExpiredTokenException", message: "token is expired") }
        let harness = try PipelineHarness(.kinesis, to: server) { $0.credentials = credentials }
        try await save(on: harness)
        let report = try await harness.flush()
        #expect(Set(report.failures.map(\.stream.rawValue)) == Set(Self.streams))
        for failure in report.failures { #expect(failure.error.message.contains("expired")) }
        #expect(server.requests.count <= 2 * Self.streams.count)
        #expect(try harness.storedTexts() == Self.streams)
        #expect(try harness.storedFailures() == [0, 0, 0, 0])
    }

    @Test func `credentials that cannot be renewed keep everything, and the error says why`() async throws {
        let credentials = CredentialsCache(LimitedCredentials(fetches: 1))
        let server = try LocalServer { _, _ in .error(400, "ExpiredTokenException") }
        let harness = try PipelineHarness(.kinesis, to: server) { $0.credentials = credentials }
        try await harness.save("kept")
        let report = try await harness.flush()
        #expect(report.failures.first?.error.message.contains("identity pool") == true)
        #expect(server.requests.count == 1)
        #expect(try harness.storedTexts() == ["kept"])
        #expect(try harness.storedFailures() == [0])
    }

    @Test(arguments: [-7_200, 7_200, -10 * 86_400, 400_000_000])
    func `a wrong clock is corrected with one extra request, and everything is delivered`(error: TimeInterval)
        async throws
    {
        let service = SkewedService()
        let server = try LocalServer { request, _ in service.answer(request) }
        let harness = try PipelineHarness(.kinesis, to: server) { $0.now = { service.time + error } }
        try await harness.saveAll((0..<1_100).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 1_100 && report.failures.isEmpty)
        #expect(server.requests.count == 4)
    }

    @Test func `a wrong clock is corrected for every request in flight`() async throws {
        let service = SkewedService()
        let barrier = Barrier(of: Self.streams.count)
        let server = try LocalServer { request, _ in
            let answer = service.answer(request)
            if service.isRefused(request) { barrier.waitForAll() }
            return answer
        }
        let harness = try PipelineHarness(.kinesis, to: server) { $0.now = { service.time - 7_200 } }
        try await save(on: harness)
        let report = try await harness.flush()
        #expect(report.delivered == 4 && report.failures.isEmpty, "\(report.failures)")
        #expect(server.requests.count == 8)
        #expect(try harness.records() == 0)
    }

    @Test func `a signature refused for its time, in an answer without a date, keeps everything`() async throws {
        let server = try LocalServer { _, _ in .error(403, "RequestTimeTooSkewed", message: "the clock is wrong") }
        let harness = try PipelineHarness(.kinesis, to: server) { _ in }
        try await harness.save("kept")
        let report = try await harness.flush()
        #expect(report.failures.first?.error.message.contains("clock") == true)
        #expect(server.requests.count == 1)
        #expect(try harness.storedTexts() == ["kept"])
    }

    private func save(on harness: PipelineHarness) async throws {
        for stream in Self.streams { try await harness.save(stream, to: stream) }
    }
}

/// Fetches new credentials up to a limit, and then fails.
private struct LimitedCredentials: CredentialsFetcher {
    let limit: Int
    private let fetched = Recorded<Int>()

    init(fetches limit: Int) {
        self.limit = limit
    }

    func fetch() async throws(CredentialsFailure) -> Credentials {
        let number = fetched.append(0) + 1
        guard number <= limit else { throw CredentialsFailure("The identity pool no longer exists.") }
        return Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret, sessionToken: "token \(number)")
    }
}

/// A service that refuses signatures more than five minutes away from its own time.
private struct SkewedService {
    let time = Date(timeIntervalSince1970: 1_790_000_000)

    func answer(_ request: ReceivedRequest) -> Reply {
        guard isRefused(request) else { return .kinesis(request) }
        let date = HTTPHeader("Date", "Mon, 21 Sep 2026 14:13:20 GMT")
        return .json(403, #"{"__type":"InvalidSignatureException","message":"Signature expired"}"#, headers: [date])
    }

    func isRefused(_ request: ReceivedRequest) -> Bool {
        guard let signed = try? Date(request.header("X-Amz-Date") ?? "", strategy: Self.form) else { return true }
        return abs(signed.timeIntervalSince(time)) > 300
    }

    private static let form = Date.ParseStrategy(
        format:
            "\(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)T\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\(second: .twoDigits)Z",
        timeZone: .gmt
    )
}

/// Blocks the server's threads until a number of them have arrived.
private final class Barrier: Sendable {
    private let gate = Gate()
    private let arrived = Recorded<Int>()
    private let size: Int

    init(of size: Int) {
        self.size = size
    }

    func waitForAll() {
        if arrived.append(0) + 1 >= size { gate.open() }
        gate.wait()
    }
}
