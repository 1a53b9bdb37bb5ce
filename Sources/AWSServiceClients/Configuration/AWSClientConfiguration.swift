import RecorderAWS
import RecorderConcurrency
public import ServiceClientHTTP

/// The configuration of a service client. A client copies it when it is created; later changes have no effect.
///
/// Safe to use from any thread.
open class AWSClientConfiguration: @unchecked Sendable {
    // Safe because a lock guards all mutable state.

    package struct Settings: Sendable {
        var useFIPS: Bool?
        var useDualStack: Bool?
        var accountIdEndpointMode: AccountIDEndpointMode?
        var appID: String?
        var resolver: (any AWSCredentialIdentityResolver)?
        var awsRetryMode: AWSRetryMode?
        var maxAttempts: Int?
        var ignoreConfiguredEndpointURLs: Bool?
        var region: String?
        var signingRegion: String?
        var retryStrategyOptions: RetryStrategyOptions?
        var endpoint: String?
        var httpClientEngine: (any HTTPClient)?
        var httpClientConfiguration = HTTPClientConfiguration()
        var clientLogMode = ClientLogMode.request
        var log = RequestLog.standard
        var userAgentSuffix = ""
    }

    private let settings: Locked<Settings>

    /// Creates a configuration. A parameter that is left out has the default that its property documents.
    ///
    /// Throws ``AWSClientError`` if the region is invalid, whether it is given or read from the environment or the
    /// profile.
    public init(
        useFIPS: Bool? = nil,
        useDualStack: Bool? = nil,
        appID: String? = nil,
        awsCredentialIdentityResolver: (any AWSCredentialIdentityResolver)? = nil,
        awsRetryMode: AWSRetryMode? = nil,
        maxAttempts: Int? = nil,
        ignoreConfiguredEndpointURLs: Bool? = nil,
        region: String? = nil,
        signingRegion: String? = nil,
        retryStrategyOptions: RetryStrategyOptions? = nil,
        endpoint: String? = nil,
        httpClientEngine: (any HTTPClient)? = nil,
        httpClientConfiguration: HTTPClientConfiguration? = nil,
        clientLogMode: ClientLogMode? = nil
    ) throws {
        settings = Locked(
            Settings(
                useFIPS: useFIPS,
                useDualStack: useDualStack,
                appID: appID,
                resolver: awsCredentialIdentityResolver,
                awsRetryMode: awsRetryMode,
                maxAttempts: maxAttempts,
                ignoreConfiguredEndpointURLs: ignoreConfiguredEndpointURLs,
                region: try Self.checked(region),
                signingRegion: signingRegion,
                retryStrategyOptions: retryStrategyOptions,
                endpoint: endpoint,
                httpClientEngine: httpClientEngine,
                httpClientConfiguration: httpClientConfiguration ?? HTTPClientConfiguration(),
                clientLogMode: clientLogMode ?? .request
            )
        )
    }

    /// Creates a copy of a configuration.
    package init(copying other: AWSClientConfiguration) {
        settings = Locked(other.snapshot)
    }

    /// The name of the given region, else of the one in the environment or the profile.
    private static func checked(_ name: String?) throws -> String? {
        do throws(ConfigurationFailure) {
            if let name { return try Region(name).spelling }
            return try MachineSettings().region()?.spelling
        } catch {
            throw AWSClientError(.configuration, message: error.message)
        }
    }

    /// A consistent copy of all settings.
    package final var snapshot: Settings { settings.withLock { $0 } }

    /// Whether the public FIPS endpoint is used; nil for the setting of the environment or the profile.
    public final var useFIPS: Bool? {
        get { snapshot.useFIPS }
        set { settings.withLock { $0.useFIPS = newValue } }
    }

    /// Whether the public dual-stack endpoint (IPv4 and IPv6) is used; nil for the setting of the environment or the
    /// profile.
    public final var useDualStack: Bool? {
        get { snapshot.useDualStack }
        set { settings.withLock { $0.useDualStack = newValue } }
    }

    /// Whether public endpoints name the account of the credentials; nil for the setting of the environment or the profile.
    public final var accountIdEndpointMode: AccountIDEndpointMode? {
        get { snapshot.accountIdEndpointMode }
        set { settings.withLock { $0.accountIdEndpointMode = newValue } }
    }

    /// The application's ID in the `User-Agent` header, up to 50 characters; nil for the one in `AWS_SDK_UA_APP_ID` or
    /// `sdk_ua_app_id` of the profile. Other characters than ASCII letters, digits and common punctuation become `-`.
    public final var appID: String? {
        get { snapshot.appID }
        set { settings.withLock { $0.appID = newValue } }
    }

    /// Provides the keys; a ``DefaultAWSCredentialIdentityResolverChain`` by default.
    public final var awsCredentialIdentityResolver: any AWSCredentialIdentityResolver {
        get { snapshot.resolver ?? DefaultAWSCredentialIdentityResolverChain() }
        set { settings.withLock { $0.resolver = newValue } }
    }

    /// Which failures are retried; by default the mode in `AWS_RETRY_MODE` or `retry_mode` of the profile, else `standard`.
    /// All modes do the same. Another value in the environment or the profile is logged as a warning and ignored.
    public final var awsRetryMode: AWSRetryMode {
        get { snapshot.awsRetryMode ?? Self.machineRetryMode ?? .standard }
        set { settings.withLock { $0.awsRetryMode = newValue } }
    }

    private static var machineRetryMode: AWSRetryMode? {
        let settings = try? MachineSettings()
        return settings?.retryMode.flatMap { AWSRetryMode(rawValue: $0.rawValue) }
    }

    /// The maximum number of attempts of a call, at least 1. If nil, the limit in `retryStrategyOptions` applies if they are
    /// set, else the one in `AWS_MAX_ATTEMPTS` or `max_attempts` of the profile, else 3.
    public final var maxAttempts: Int? {
        get { snapshot.maxAttempts }
        set { settings.withLock { $0.maxAttempts = newValue } }
    }

    /// Whether `AWS_ENDPOINT_URL` and similar settings are ignored; nil for `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS`.
    public final var ignoreConfiguredEndpointURLs: Bool? {
        get { snapshot.ignoreConfiguredEndpointURLs }
        set { settings.withLock { $0.ignoreConfiguredEndpointURLs = newValue } }
    }

    /// The region, such as `us-east-1`; by default the one in `AWS_REGION`, `AWS_DEFAULT_REGION` or the profile in use.
    /// Calls fail without a region.
    public final var region: String? {
        get { snapshot.region }
        set { settings.withLock { $0.region = newValue } }
    }

    /// The region in signatures; nil for `region`.
    public final var signingRegion: String? {
        get { snapshot.signingRegion }
        set { settings.withLock { $0.signingRegion = newValue } }
    }

    /// How often failed calls are retried, and the delay before each retry.
    public final var retryStrategyOptions: RetryStrategyOptions {
        get { snapshot.retryStrategyOptions ?? RetryStrategyOptions() }
        set { settings.withLock { $0.retryStrategyOptions = newValue } }
    }

    /// The URL of the endpoint, such as `http://localhost:4566`; nil for the one in the environment or the profile,
    /// else the region's public endpoint.
    public final var endpoint: String? {
        get { snapshot.endpoint }
        set { settings.withLock { $0.endpoint = newValue } }
    }

    /// Sends the requests, both those with recorded data and all others; by default the client's own engine, which your
    /// engine can wrap. Requests for credentials do not use it.
    public final var httpClientEngine: any HTTPClient {
        get { snapshot.httpClientEngine ?? CurlClientEngine() }
        set { settings.withLock { $0.httpClientEngine = newValue } }
    }

    /// The limits of requests. The time limits do not apply to an engine of your own.
    public final var httpClientConfiguration: HTTPClientConfiguration {
        get { snapshot.httpClientConfiguration }
        set { settings.withLock { $0.httpClientConfiguration = newValue } }
    }

    /// Which requests and answers are logged at the level `debug`; `request` by default. No mode logs keys, tokens,
    /// signatures or records.
    public final var clientLogMode: ClientLogMode {
        get { snapshot.clientLogMode }
        set { settings.withLock { $0.clientLogMode = newValue } }
    }

    /// Where requests and answers are logged.
    package final var log: RequestLog {
        get { snapshot.log }
        set { settings.withLock { $0.log = newValue } }
    }

    /// The end of the `User-Agent` header.
    package final var userAgentSuffix: String {
        get { snapshot.userAgentSuffix }
        set { settings.withLock { $0.userAgentSuffix = newValue } }
    }
}

/// Whether public endpoints name the account of the credentials, as in `123456789012.data-kinesis.us-east-1.amazonaws.com`,
/// for services that have such endpoints.
public enum AccountIDEndpointMode: String, Sendable {
    /// If the credentials tell the account. The default.
    case preferred
    /// Never.
    case disabled
    /// Always; without an account, calls throw an ``AWSClientError``.
    case required
}
