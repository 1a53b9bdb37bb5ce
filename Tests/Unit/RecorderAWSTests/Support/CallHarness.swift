import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderTestSupport

/// A caller over real sockets whose delays take no time and are recorded.
struct CallHarness: Sendable {
    let server: LocalServer
    let caller: AWSServiceCaller
    let pauses: Recorded<Duration>

    init(
        credentials: any CredentialsSource = StaticCredentials(
            Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret)
        ),
        maximumRetries: Int = 3,
        url: String? = nil,
        timeouts: HTTPTimeouts = HTTPTimeouts(),
        backoff: (@Sendable (Int) -> Duration)? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        _ script: @escaping LocalServer.Script
    ) throws {
        let (server, pauses) = (try LocalServer(script), Recorded<Duration>())
        var configuration = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: url ?? server.url),
            credentials: credentials
        )
        configuration.timeouts = timeouts
        configuration.backoff = backoff
        configuration.maximumRetries = maximumRetries
        configuration.now = now
        configuration.pause = { pauses.append($0) }
        configuration.random = { 1 }
        self.server = server
        self.pauses = pauses
        caller = AWSServiceCaller(.kinesis, configuration: configuration)
        CanaryRun.show(caller, configuration)
    }

    /// The failure of a call; nil if it succeeds.
    func failure() async -> ServiceFailure? {
        do throws(ServiceFailure) {
            _ = try await caller.call("PutRecords", body: Array("{}".utf8))
            return nil
        } catch {
            CanaryRun.show(error)
            return error
        }
    }
}

/// Recorded values, in order.
final class Recorded<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Keys that are replaced by the next ones whenever they are refused.
final class RotatingCredentials: CredentialsSource {
    private let number = Locked(1)
    private let asked = Locked(0)
    private let fastCalls: Int

    /// Each call of `credentials()` after the first `fastCalls` takes long enough for concurrent calls to meet.
    init(fastCalls: Int = .max) {
        self.fastCalls = fastCalls
    }

    var renewals: Int { number.withLock { $0 } - 1 }

    func credentials() async throws(CredentialsFailure) -> Credentials? {
        let asked = asked.withLock { asked in
            asked += 1
            return asked
        }
        let number = number.withLock { $0 }
        if asked > fastCalls { try? await Task.sleep(for: .milliseconds(50)) }
        return Credentials(
            accessKeyID: "AKID\(number)",
            secretAccessKey: "secret\(number)",
            sessionToken: "token\(number)",
            // As providers do that keep keys, and say each time that these hold for another hour.
            expiration: Date(timeIntervalSinceNow: 3_600 + Double(asked))
        )
    }

    func invalidate() { number.withLock { $0 += 1 } }
}
