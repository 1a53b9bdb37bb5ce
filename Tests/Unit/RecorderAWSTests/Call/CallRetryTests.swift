import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderTestSupport
import Testing

/// How often and after which delays a failed call is tried again.
@Suite(.timeLimit(.minutes(10))) struct CallRetryTests {
    @Test(arguments: [0, 1, 3, 5])
    func `a failure of the service is retried as often as allowed`(retries: Int) async throws {
        let harness = try CallHarness(maximumRetries: retries) { _, _ in .error(500, "InternalFailure") }
        let failure = await harness.failure()
        #expect(failure?.kind == .transient)
        #expect(failure?.status == 500)
        #expect(harness.server.requests.count == retries + 1)
        #expect(harness.pauses.all == [50, 100, 200, 400, 800].prefix(retries).map { .milliseconds($0) })
    }

    @Test func `throttling is tried again after longer delays`() async throws {
        let harness = try CallHarness { _, _ in .error(400, "ProvisionedThroughputExceededException") }
        #expect(await harness.failure()?.kind == .throttled)
        #expect(harness.server.requests.count == 4)
        #expect(harness.pauses.all == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test(arguments: [(.seconds(-1), .zero), (.seconds(Int64.max), .seconds(86_400))] as [(Duration, Duration)])
    func `the user's own delay is clamped to a day`(given: Duration, taken: Duration) async throws {
        let harness = try CallHarness(backoff: { _ in given }) { _, index in .json(index == 0 ? 503 : 200, "{}") }
        #expect(await harness.failure() == nil)
        #expect(harness.pauses.all == [taken])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `a clock without a valid time still signs`(seconds: Double) async throws {
        let harness = try CallHarness(now: { Date(timeIntervalSince1970: seconds) }) { _, _ in .json(200, "{}") }
        #expect(await harness.failure() == nil)
    }

    @Test func `the delay that the service asks for is used`() async throws {
        let hint = [HTTPHeader("x-amz-retry-after", "3000")]
        let harness = try CallHarness { _, index in .json(index == 0 ? 503 : 200, "{}", headers: hint) }
        #expect(await harness.failure() == nil)
        #expect(harness.pauses.all == [.seconds(3)])
    }

    @Test func `the first success ends the call`() async throws {
        let harness = try CallHarness { _, index in index < 2 ? .error(503, "ServiceUnavailable") : .json(200, "{}") }
        #expect(await harness.failure() == nil)
        #expect(harness.server.requests.count == 3)
    }

    @Test(arguments: [Reply.dropConnection, .reset, .truncated(status: 200, body: [1, 2], after: 1)])
    func `a lost connection is tried again twice`(reply: Reply) async throws {
        let harness = try CallHarness { _, _ in reply }
        guard case .transport(let cause) = await harness.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .connectionLost)
        #expect(harness.server.requests.count == 3)
        #expect(harness.pauses.all == [.milliseconds(50), .milliseconds(100)])
    }

    @Test func `a lost connection is tried again no more often than allowed`() async throws {
        let harness = try CallHarness(maximumRetries: 1) { _, _ in .reset }
        #expect(await harness.failure() != nil)
        #expect(harness.server.requests.count == 2)
    }

    @Test func `silence is tried again twice`() async throws {
        let harness = try CallHarness(timeouts: HTTPTimeouts(stall: .seconds(2))) { _, _ in .stall }
        guard case .transport(let cause) = await harness.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .timedOut)
        await harness.server.received(3)
        #expect(harness.server.requests.count == 3)
    }

    @Test func `a refused connection is not tried again`() async throws {
        let socket = try LocalSocket.loopback()
        let harness = try CallHarness(url: "http://127.0.0.1:\(socket.port)") { _, _ in .json(200, "{}") }
        guard case .transport(let cause) = await harness.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .cannotConnect)
        #expect(harness.pauses.all.isEmpty)
    }

    @Test func `an untrusted certificate is not tried again`() async throws {
        let server = try TLSServer()
        let harness = try CallHarness(url: server.url) { _, _ in .json(200, "{}") }
        guard case .transport(let cause) = await harness.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .certificateUntrusted)
        #expect(harness.pauses.all.isEmpty)
    }

    @Test func `the quota allows 35 retries in total for a service that stays down`() async throws {
        let harness = try CallHarness { _, _ in .error(500, "InternalFailure") }
        for _ in 0..<20 { _ = await harness.failure() }
        #expect(harness.pauses.all.count == 35)
        #expect(harness.server.requests.count == 55)
    }

    @Test func `a retry that the caller requests is paid from the same quota`() async throws {
        let harness = try CallHarness { _, _ in .json(200, "{}") }
        var paid = 0
        while true {
            var attempts = harness.caller.attempts()
            let delay = try await harness.caller.waitToRetry(.partialFailure(.throttling), attempts: &attempts)
            guard delay != nil else { break }
            paid += 1
        }
        #expect(paid == 100)
        #expect(harness.pauses.all == Array(repeating: .seconds(1), count: 100))
        #expect(await harness.failure() == nil)
    }

    @Test func `every attempt has its own signature`() async throws {
        let clock = Recorded<Int>()
        let now: @Sendable () -> Date = {
            clock.append(0)
            return Date(timeIntervalSince1970: 1_800_000_000 + 60 * Double(clock.all.count))
        }
        let harness = try CallHarness(now: now) { _, _ in .error(500, "InternalFailure") }
        _ = await harness.failure()
        #expect(Set(harness.server.requests.map { $0.header("X-Amz-Date") }).count == 4)
        #expect(Set(harness.server.requests.map { $0.header("Authorization") }).count == 4)
    }

    @Test func `an expired token is renewed once, and the call continues`() async throws {
        let credentials = RotatingCredentials()
        let harness = try CallHarness(credentials: credentials) { request, _ in
            request.header("X-Amz-Security-Token") == "token1" ? .error(400, "ExpiredTokenException") : .json(200, "{}")
        }
        #expect(await harness.failure() == nil)
        #expect(credentials.renewals == 1)
        #expect(harness.server.requests.map { $0.header("X-Amz-Security-Token") } == ["token1", "token2"])
        #expect(harness.pauses.all.isEmpty)
    }

    @Test func `concurrent calls with refused keys renew them once`() async throws {
        let credentials = RotatingCredentials(fastCalls: 4)
        let harness = try CallHarness(credentials: credentials) { request, _ in
            request.header("X-Amz-Security-Token") == "token1" ? .error(400, "ExpiredTokenException") : .json(200, "{}")
        }
        await withTaskGroup(of: ServiceFailure?.self) { group in
            for _ in 0..<4 { group.addTask { await harness.failure() } }
            for await failure in group { #expect(failure == nil) }
        }
        #expect(credentials.renewals == 1)
    }

    @Test func `tokens that are refused again end the call`() async throws {
        let credentials = RotatingCredentials()
        let harness = try CallHarness(credentials: credentials) { _, _ in .error(400, "UnrecognizedClientException") }
        #expect(await harness.failure()?.kind == .expiredCredentials)
        #expect(credentials.renewals == 1)
        #expect(harness.server.requests.count == 2)
    }

    @Test func `keys that cannot change are not sent twice`() async throws {
        let harness = try CallHarness { _, _ in .error(400, "InvalidClientTokenId") }
        #expect(await harness.failure()?.kind == .expiredCredentials)
        #expect(harness.server.requests.count == 1)
    }

    @Test func `a wrong clock is corrected by the service's, once and for later calls`() async throws {
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let harness = try CallHarness(now: { Date(timeIntervalSince1970: 0) }) { request, _ in
            guard request.header("X-Amz-Date") != "20150830T123600Z" else { return .json(200, "{}") }
            return .json(400, #"{"__type":"InvalidSignatureException"}"#, headers: serverDate)
        }
        #expect(await harness.failure() == nil)
        #expect(await harness.failure() == nil)
        let dates = harness.server.requests.map { $0.header("X-Amz-Date") }
        #expect(dates == ["19700101T000000Z", "20150830T123600Z", "20150830T123600Z"])
        #expect(harness.pauses.all.isEmpty)
    }

    @Test func `a signature that is refused although the clocks agree is final`() async throws {
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let harness = try CallHarness(now: { Date(timeIntervalSince1970: 1_440_938_200) }) { _, _ in
            .json(403, #"{"__type":"SignatureDoesNotMatch"}"#, headers: serverDate)
        }
        #expect(await harness.failure()?.kind == .clockSkew)
        #expect(harness.server.requests.count == 1)
    }

    @Test func `after a wrong secret key was corrected in its file, the next call is accepted`() async throws {
        let files = try ProfileFiles(credentials: "[default]\naws_access_key_id = a\naws_secret_access_key = wrong\n")
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let context = CredentialsContext(region: try Region("us-east-1"), environment: files.environment())
        let harness = try CallHarness(
            credentials: CredentialsChain(in: context),
            now: { Date(timeIntervalSince1970: 1_440_938_200) }
        ) { request, _ in
            request.header("Authorization")?.contains("Credential=b/") == true
                ? .json(200, "{}") : .json(403, #"{"__type":"InvalidSignatureException"}"#, headers: serverDate)
        }
        #expect(await harness.failure()?.kind == .clockSkew)
        try files.write("[default]\naws_access_key_id = b\naws_secret_access_key = right\n", to: files.credentials)
        #expect(await harness.failure() == nil)
    }

    @Test(arguments: [true, false])
    func `a refused signature renews the keys once, and stays the reason if that fails`(renews: Bool) async throws {
        final class Source: CredentialsSource {
            let renewals = Locked(0)
            let renews: Bool
            init(renews: Bool) { self.renews = renews }
            func invalidate() { renewals.withLock { $0 += 1 } }
            func credentials() async throws(CredentialsFailure) -> Credentials? {
                let number = renewals.withLock(\.self)
                guard renews || number == 0 else { throw CredentialsFailure("no more keys") }
                return Credentials(accessKeyID: "key\(number)", secretAccessKey: Canary.secret)
            }
        }
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let source = Source(renews: renews)
        let harness = try CallHarness(credentials: source, now: { Date(timeIntervalSince1970: 1_440_938_200) }) {
            _,
            _ in
            .json(403, #"{"__type":"InvalidSignatureException"}"#, headers: serverDate)
        }
        #expect(await harness.failure()?.kind == .clockSkew)
        #expect(source.renewals.withLock(\.self) == 1 && harness.server.requests.count == (renews ? 2 : 1))
    }

    @Test func `a signature refused again after the correction is final`() async throws {
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let harness = try CallHarness { _, _ in .json(403, #"{"__type":"RequestTimeTooSkewed"}"#, headers: serverDate) }
        #expect(await harness.failure()?.kind == .clockSkew)
        #expect(harness.server.requests.count == 2)
    }
}
