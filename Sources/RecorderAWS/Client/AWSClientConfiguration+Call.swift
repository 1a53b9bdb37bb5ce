import Foundation
import RecorderHTTP

extension AWSClientConfiguration {
    /// Everything that calls to a service need, from these settings and, where they say nothing, the machine.
    package final func callConfiguration(
        for service: AWSService,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFailure) -> CallConfiguration {
        let settings = snapshot
        let region = try settings.callRegion
        var configuration = CallConfiguration(
            region: try settings.signingRegion.map(Region.init) ?? region,
            endpoint: try settings.endpoint(of: service, in: region, environment),
            credentials: settings.credentials(environment, region)
        )
        configuration.timeouts = settings.httpClientConfiguration.timeouts
        configuration.maximumRetries = settings.maximumRetries
        configuration.backoff = settings.backoff
        configuration.userAgent = settings.userAgent
        configuration.transport = settings.transport
        return configuration
    }
}

extension AWSClientConfiguration {
    /// The region, or an error for users where there is none that can be used.
    final var requiredRegion: String {
        get throws {
            do {
                return try snapshot.callRegion.name
            } catch {
                throw AWSClientError(.configuration, error.message)
            }
        }
    }
}

extension AWSClientConfiguration.Settings {
    fileprivate var callRegion: Region {
        get throws(ConfigurationFailure) {
            guard let region else {
                throw ConfigurationFailure(
                    "The client's configuration has no region: give it one, such as \"us-east-1\", "
                        + "or set the environment variable AWS_REGION."
                )
            }
            return try Region(region)
        }
    }

    fileprivate func endpoint(
        of service: AWSService,
        in region: Region,
        _ environment: [String: String]
    ) throws(ConfigurationFailure) -> Endpoint {
        if let endpoint { return try Endpoint(url: endpoint) }
        return try MachineSettings(environment).endpoint(
            for: service,
            in: region,
            ignoringNamed: ignoreConfiguredEndpointURLs == true,
            usingFIPS: useFIPS,
            dualStack: useDualStack
        )
    }

    fileprivate func credentials(_ environment: [String: String], _ region: Region) -> any CredentialsSource {
        if let resolver { return resolver.credentialsSource }
        return DefaultAWSCredentialIdentityResolverChain(environment: environment, region: region).source
    }

    fileprivate var transport: any HTTPTransport {
        let isOwn = httpClientEngine == nil || httpClientEngine is CurlClientEngine
        let transport: any HTTPTransport =
            httpClientEngine.flatMap { isOwn ? nil : EngineTransport(engine: $0) } ?? CurlTransport.shared
        return clientLogMode == .none ? transport : LoggingTransport(target: transport, mode: clientLogMode, log: log)
    }

    fileprivate var maximumRetries: Int {
        max(0, maxAttempts.map { max($0, 1) - 1 } ?? retryStrategyOptions.maxRetriesBase)
    }

    /// nil for the standard strategy, which also heeds what the service asks for.
    fileprivate var backoff: (@Sendable (Int) -> Duration)? {
        let strategy = retryStrategyOptions.backoffStrategy
        if strategy is ExponentialBackoffStrategy { return nil }
        return { attempt in
            Duration(
                pauseInSeconds: strategy.computeNextBackoffDelay(attempt: attempt),
                longest: AWSServiceCaller.longestBackoff
            )
        }
    }

    fileprivate var userAgent: String {
        let program = appID.map { "app/" + String($0.prefix(50).map { $0.isLetter || $0.isNumber ? $0 : "-" }) }
        return UserAgent.with(tokens: [program, userAgentSuffix].compactMap { $0 }.filter { !$0.isEmpty })
    }
}
