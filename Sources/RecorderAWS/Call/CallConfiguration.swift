package import Foundation
package import RecorderHTTP

/// Everything that a call to a service depends on besides the service: settings, and the clock and dice that tests replace.
package struct CallConfiguration: Sendable {
    /// The region that requests are signed for.
    package var region: Region

    /// Where requests are posted to.
    package var endpoint: Endpoint

    /// Where the keys come from.
    package var credentials: any CredentialsSource

    /// How long one request may wait.
    package var timeouts: HTTPTimeouts

    /// How often one call is tried again at most; 3 by default.
    package var maximumRetries: Int

    /// The user's own delay before retry `n`, counted from 0; nil, the default, for ``RetryDelay``. Below none it counts
    /// as none, beyond a day as a day.
    package var backoff: (@Sendable (Int) -> Duration)?

    /// What the `User-Agent` header says.
    package var userAgent: String

    /// What carries the requests.
    package var transport: any HTTPTransport

    /// The wall clock, for signatures.
    package var now: @Sendable () -> Date

    /// How a delay is spent; throws when the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void

    /// A number from 0 to 1, which spreads the delays.
    package var random: @Sendable () -> Double

    /// A configuration; all but region, endpoint and credentials have defaults.
    package init(
        region: Region,
        endpoint: Endpoint,
        credentials: any CredentialsSource,
        timeouts: HTTPTimeouts = HTTPTimeouts(),
        maximumRetries: Int = 3,
        userAgent: String = UserAgent.standard,
        transport: any HTTPTransport = CurlTransport.shared,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.region = region
        self.endpoint = endpoint
        self.credentials = credentials
        self.timeouts = timeouts
        self.maximumRetries = maximumRetries
        self.userAgent = userAgent
        self.transport = transport
        self.now = now
        self.pause = pause
        self.random = random
    }
}
