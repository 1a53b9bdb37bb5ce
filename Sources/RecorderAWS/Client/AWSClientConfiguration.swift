import Foundation
import RecorderConcurrency
public import SmithyHTTPAPI

/// What a client of a service depends on. A client takes a copy when it is made: change it before.
///
/// Safe to use from any thread.
public class AWSClientConfiguration: @unchecked Sendable {
    // Safe because all that changes is behind a lock.

    package struct Settings: Sendable {
        var useFIPS: Bool?
        var useDualStack: Bool?
        var appID: String?
        var resolver: (any AWSCredentialIdentityResolver)?
        var awsRetryMode = AWSRetryMode.standard
        var maxAttempts: Int?
        var ignoreConfiguredEndpointURLs: Bool?
        var region: String?
        var signingRegion: String?
        var retryStrategyOptions = RetryStrategyOptions()
        var endpoint: String?
        var httpClientEngine: (any HTTPClient)?
        var httpClientConfiguration = HTTPClientConfiguration()
        var clientLogMode = ClientLogMode.request
        var log = RequestLog.standard
        var userAgentSuffix = ""
    }

    private let settings: Locked<Settings>

    /// A configuration; what is left out has the default that its property names.
    ///
    /// Throws ``AWSClientError`` if the region, given or the machine's, cannot be used.
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
                awsRetryMode: awsRetryMode ?? .standard,
                maxAttempts: maxAttempts,
                ignoreConfiguredEndpointURLs: ignoreConfiguredEndpointURLs,
                region: try Self.checked(region),
                signingRegion: signingRegion,
                retryStrategyOptions: retryStrategyOptions ?? RetryStrategyOptions(),
                endpoint: endpoint,
                httpClientEngine: httpClientEngine,
                httpClientConfiguration: httpClientConfiguration ?? HTTPClientConfiguration(),
                clientLogMode: clientLogMode ?? .request
            )
        )
    }

    /// A configuration with another's settings.
    package init(copying other: AWSClientConfiguration) {
        settings = Locked(other.snapshot)
    }

    /// The region's name, the machine's where none is given.
    private static func checked(_ name: String?) throws -> String? {
        do throws(ConfigurationFailure) {
            if let name { return try Region(name).name }
            return try MachineSettings().region()?.name
        } catch {
            throw AWSClientError(.configuration, error.message)
        }
    }

    /// All settings at one instant.
    package final var snapshot: Settings { settings.withLock { $0 } }

    /// Whether the public host with validated cryptography is used; nil for what the machine is set up with.
    public final var useFIPS: Bool? {
        get { snapshot.useFIPS }
        set { settings.withLock { $0.useFIPS = newValue } }
    }

    /// Whether the public host with IPv6 addresses, too, is used; nil for what the machine is set up with.
    public final var useDualStack: Bool? {
        get { snapshot.useDualStack }
        set { settings.withLock { $0.useDualStack = newValue } }
    }

    /// The program's name in the `User-Agent` header, up to 50 characters.
    public final var appID: String? {
        get { snapshot.appID }
        set { settings.withLock { $0.appID = newValue } }
    }

    /// Where the keys come from; by default what this machine is set up with.
    public final var awsCredentialIdentityResolver: any AWSCredentialIdentityResolver {
        get { snapshot.resolver ?? DefaultAWSCredentialIdentityResolverChain() }
        set { settings.withLock { $0.resolver = newValue } }
    }

    /// Which failures are tried again; `standard` by default.
    public final var awsRetryMode: AWSRetryMode {
        get { snapshot.awsRetryMode }
        set { settings.withLock { $0.awsRetryMode = newValue } }
    }

    /// How often a call is tried in all, at least once; nil for what `retryStrategyOptions` says.
    public final var maxAttempts: Int? {
        get { snapshot.maxAttempts }
        set { settings.withLock { $0.maxAttempts = newValue } }
    }

    /// Whether `AWS_ENDPOINT_URL` and its relatives are ignored; nil for `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS`.
    public final var ignoreConfiguredEndpointURLs: Bool? {
        get { snapshot.ignoreConfiguredEndpointURLs }
        set { settings.withLock { $0.ignoreConfiguredEndpointURLs = newValue } }
    }

    /// The region, such as `us-east-1`; by default that of `AWS_REGION`, `AWS_DEFAULT_REGION` or the profile in use. Without
    /// one, calls fail.
    public final var region: String? {
        get { snapshot.region }
        set { settings.withLock { $0.region = newValue } }
    }

    /// The region that requests are signed for; nil for `region`.
    public final var signingRegion: String? {
        get { snapshot.signingRegion }
        set { settings.withLock { $0.signingRegion = newValue } }
    }

    /// How often a call is tried again, and how long it waits before.
    public final var retryStrategyOptions: RetryStrategyOptions {
        get { snapshot.retryStrategyOptions }
        set { settings.withLock { $0.retryStrategyOptions = newValue } }
    }

    /// An address of your own, such as `http://localhost:4566`; nil for the environment's, else the region's public one.
    public final var endpoint: String? {
        get { snapshot.endpoint }
        set { settings.withLock { $0.endpoint = newValue } }
    }

    /// What carries the requests, for recorded data and all other calls alike; by default the client's own engine, which you
    /// can put yours around. Credentials are fetched without it.
    public final var httpClientEngine: any HTTPClient {
        get { snapshot.httpClientEngine ?? CurlClientEngine() }
        set { settings.withLock { $0.httpClientEngine = newValue } }
    }

    /// How long requests may wait. An engine of yours keeps limits of its own.
    public final var httpClientConfiguration: HTTPClientConfiguration {
        get { snapshot.httpClientConfiguration }
        set { settings.withLock { $0.httpClientConfiguration = newValue } }
    }

    /// Which requests and answers are logged at the level `debug`; `request` by default. Never shown are keys, tokens,
    /// signatures and records, whatever the mode.
    public final var clientLogMode: ClientLogMode {
        get { snapshot.clientLogMode }
        set { settings.withLock { $0.clientLogMode = newValue } }
    }

    /// Where they are logged, for the packages above.
    package final var log: RequestLog {
        get { snapshot.log }
        set { settings.withLock { $0.log = newValue } }
    }

    /// What stands at the end of the `User-Agent` header, for the packages above.
    package final var userAgentSuffix: String {
        get { snapshot.userAgentSuffix }
        set { settings.withLock { $0.userAgentSuffix = newValue } }
    }
}
