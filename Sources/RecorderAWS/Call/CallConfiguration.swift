package import FoundationEssentials
package import RecorderHTTP

/// Everything that a call depends on besides the service: settings, and the clock and random numbers that tests replace.
package struct CallConfiguration: Sendable {
    /// The region for signatures.
    package var region: Region

    /// The endpoint that requests are sent to, unless its rules give an operation or an account another public host.
    package var endpoint: Endpoint

    /// The source of credentials.
    package var credentials: any CredentialsSource

    /// The time limits of one request.
    package var timeouts: HTTPTimeouts

    /// How long what is asked about a stream may take, beside its records.
    package var lookupTimeout = Duration.seconds(5)

    /// The maximum number of retries of one call; 3 by default.
    package var maximumRetries: Int

    /// The user's own delay before retry `n`, counted from 0; nil, the default, for ``RetryDelay``. The delay is clamped to
    /// 0 to 24 hours.
    package var backoff: (@Sendable (Int) -> Duration)?

    /// The size of the caller's ``RetryQuota``.
    package var retryQuota = (available: RetryQuota.capacity, capacity: RetryQuota.capacity)

    /// The `User-Agent` header.
    package var userAgent: String

    /// Sends the requests.
    package var transport: any HTTPTransport

    /// Called after each request, retries included, with its failure; nil for an answer of success.
    package var onAnswer: (@Sendable (ServiceFailure?) -> Void)?

    /// Which endpoints understand requests in CBOR.
    package var cborEndpoints = CBOREndpoints.shared

    /// The wall clock, for signatures.
    package var now: @Sendable () -> Date

    /// The time that passes, for the pace of requests: what `pause` waits for passes in it.
    package var instant: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

    /// Waits for a delay; throws if the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void

    /// A random number from 0 to 1, which spreads the delays.
    package var random: @Sendable () -> Double

    /// A configuration. Everything except region, endpoint and credentials has a default.
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

extension CallConfiguration {
    /// Applies the machine's settings for calls: the maximum number of retries, unless the user set one, and the application's
    /// ID in the user agent.
    package mutating func apply(
        _ settings: MachineSettings,
        retriesAreGiven: Bool = false
    ) throws(ConfigurationFailure) {
        if settings.retryMode == .adaptive { RetryMode.adaptiveWarning }
        if !retriesAreGiven, let retries = try settings.maximumRetries() { maximumRetries = retries }
        if let id = settings.applicationID { userAgent += " \(UserAgent.token(applicationID: id))" }
    }
}

/// The `User-Agent` header of this package.
package enum UserAgent {
    /// The version of this package. It is defined only here.
    package static let version = "0.1.0"

    /// Names and versions of this package and libcurl, and the operating system.
    package static let standard = "swift-aws-recorder/\(version) lib/curl/\(CurlLibrary.version) os/linux"

    /// The longest ID of an application that AWS asks for. A longer one is sent and logged as a warning, as by other SDKs.
    private static let longestApplicationID = 50

    /// The token for an application's ID, in the form of the AWS SDKs.
    package static func token(applicationID id: String) -> String {
        if id.unicodeScalars.count > longestApplicationID { longIDWarning }
        let allowed = "!$%&'*+-.^_`|~,#".unicodeScalars
        let kept = id.unicodeScalars.map { Endpoint.isLetterOrDigit($0) || allowed.contains($0) ? $0 : "-" }
        return "app/" + String(String.UnicodeScalarView(kept))
    }

    /// Logged at the first use, so once in a process.
    private static let longIDWarning: Void = RecorderLog.warning(
        "The application's ID (AWS_SDK_UA_APP_ID, sdk_ua_app_id or appID) has more than \(longestApplicationID) characters. "
            + "Shorten it."
    )

    /// The standard text followed by the user's tokens.
    package static func with(tokens: [String]) -> String {
        ([standard] + tokens).joined(separator: " ")
    }
}
