import Foundation
package import RecorderAWS

extension AWSServiceConfiguration {
    /// The settings for calls to a service: this configuration's, and those of the environment and the active profile for
    /// what it leaves open.
    package func callConfiguration(
        for service: AWSService,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFailure) -> CallConfiguration {
        guard let regionName else {
            throw ConfigurationFailure(
                "The service configuration has the region .Unknown: name one, as in "
                    + "AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)."
            )
        }
        let region = try Region(regionName)
        var configuration = CallConfiguration(
            region: region,
            endpoint: try endpoint(of: service, in: region, environment: environment),
            credentials: credentialsSource(in: region, environment: environment)
        )
        configuration.timeouts = timeouts
        configuration.maximumRetries = Int(maxRetryCount)
        configuration.userAgent = sentUserAgent
        let isComplete = endpoint != nil && credentialsProvider != nil
        let machine = try MachineSettings(environment, filesAreOptional: isComplete)
        try configuration.apply(machine, retriesAreGiven: hasRetryCount)
        configuration.maximumRetries = min(configuration.maximumRetries, Int(Self.largestRetryCount))
        return configuration
    }

    private func endpoint(
        of service: AWSService,
        in region: Region,
        environment: [String: String]
    ) throws(ConfigurationFailure) -> Endpoint {
        if let endpoint { return try Endpoint(url: endpoint.address) }
        let settings = try MachineSettings(environment)
        guard localTestingEnabled else { return try settings.endpoint(for: service, in: region) }
        guard let named = try settings.namedEndpoint(for: service) else {
            throw ConfigurationFailure(
                "Local testing is enabled, but there is no local address: set \(service.endpointVariable), such as "
                    + "http://localhost:4566, or give the configuration an AWSEndpoint."
            )
        }
        return named
    }

    private func credentialsSource(in region: Region, environment: [String: String]) -> any CredentialsSource {
        switch credentialsProvider {
        case nil: CredentialsChain(in: CredentialsContext(region: region, environment: environment))
        case let known as any CredentialsSourceProvider: known.credentialsSource
        case let provider?: ProvidedCredentials(from: provider)
        }
    }
}
