import Foundation
package import RecorderAWS
import RecorderHTTP

extension AWSClientConfiguration {
    /// The configuration of calls to a service: these settings, and for what they leave open the environment and the
    /// AWS profile.
    package final func callConfiguration(
        for service: AWSService,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFailure) -> CallConfiguration {
        let settings = snapshot
        let isComplete = settings.endpoint != nil && settings.resolver != nil
        let machine = try MachineSettings(environment, filesAreOptional: isComplete)
        if settings.isAdaptive(on: machine) { RetryMode.adaptiveWarning }
        let region = try settings.callRegion
        var configuration = CallConfiguration(
            region: try settings.signingRegion.map(Region.init) ?? region,
            endpoint: try settings.endpoint(of: service, in: region, environment: environment),
            credentials: settings.credentials(in: region, environment: environment)
        )
        configuration.timeouts = settings.httpClientConfiguration.timeouts
        configuration.maximumRetries = try settings.maximumRetries(on: machine)
        configuration.backoff = settings.backoff
        let options = settings.retryStrategyOptions ?? RetryStrategyOptions()
        configuration.retryQuota = (available: options.availableCapacity, capacity: options.maxCapacity)
        configuration.userAgent = settings.userAgent(on: machine)
        configuration.transport = settings.transport
        return configuration
    }

    /// The region's name. Throws the error for users if there is none, or it is invalid.
    package final var requiredRegion: String {
        get throws {
            do throws(ConfigurationFailure) {
                return try snapshot.callRegion.name
            } catch {
                throw AWSClientError(.configuration, message: error.message)
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
        environment: [String: String]
    ) throws(ConfigurationFailure) -> Endpoint {
        if let endpoint { return try Endpoint(url: endpoint) }
        return try MachineSettings(environment).endpoint(
            for: service,
            in: region,
            ignoringNamed: ignoreConfiguredEndpointURLs == true,
            usingFIPS: useFIPS,
            dualStack: useDualStack,
            accountIDEndpointMode: accountIdEndpointMode.flatMap { AccountHostMode(rawValue: $0.rawValue) }
        )
    }

    fileprivate func credentials(in region: Region, environment: [String: String]) -> any CredentialsSource {
        if let resolver { return resolver.credentialsSource }
        return CredentialsChain(in: CredentialsContext(region: region, environment: environment))
    }

    fileprivate var transport: any HTTPTransport {
        let transport: any HTTPTransport =
            switch httpClientEngine {
            case nil, is CurlClientEngine: CurlTransport.shared
            case let engine?: EngineTransport(engine: engine)
            }
        let logging: any HTTPTransport =
            clientLogMode == .none ? transport : LoggingTransport(target: transport, mode: clientLogMode, log: log)
        guard let limit = httpClientConfiguration.maxConnections, limit > 0 else { return logging }
        return ConcurrencyLimitingTransport(target: logging, limit: limit)
    }

    fileprivate func isAdaptive(on machine: MachineSettings) -> Bool {
        if retryStrategyOptions?.rateLimitingMode == .adaptive { return true }
        if let awsRetryMode { return awsRetryMode == .adaptive }
        return machine.retryMode == .adaptive
    }

    fileprivate func maximumRetries(on machine: MachineSettings) throws(ConfigurationFailure) -> Int {
        if let maxAttempts { return max(maxAttempts, 1) - 1 }
        if let retryStrategyOptions { return max(0, retryStrategyOptions.maxRetriesBase) }
        return try machine.maximumRetries() ?? RetryStrategyOptions().maxRetriesBase
    }

    /// nil for the standard strategy, which also respects the delay that the service asks for.
    fileprivate var backoff: (@Sendable (Int) -> Duration)? {
        guard let strategy = retryStrategyOptions?.backoffStrategy, !(strategy is ExponentialBackoffStrategy) else {
            return nil
        }
        return { attempt in
            Duration(
                pauseInSeconds: strategy.computeNextBackoffDelay(attempt: attempt),
                longest: AWSServiceCaller.longestBackoff
            )
        }
    }

    fileprivate func userAgent(on machine: MachineSettings) -> String {
        let program = (appID ?? machine.applicationID).map(UserAgent.token(applicationID:))
        return UserAgent.with(tokens: [program, userAgentSuffix].compactMap { $0 }.filter { !$0.isEmpty })
    }
}
