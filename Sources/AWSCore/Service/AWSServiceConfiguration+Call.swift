import Foundation
package import RecorderAWS

extension AWSServiceConfiguration {
    /// Everything that calls to a service need, from this configuration and, where it says nothing, the machine: the
    /// environment and the profile in use.
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
            endpoint: try endpoint(of: service, in: region, environment),
            credentials: credentialsSource(in: region, environment)
        )
        configuration.timeouts = timeouts
        configuration.maximumRetries = Int(maxRetryCount)
        configuration.userAgent = userAgent
        return configuration
    }

    /// The configuration for a recorder or client that was made without one: what `awsconfiguration.json` says in its
    /// section, else the default one, else the machine's region.
    package static func resolved(
        for section: String? = nil,
        info: AWSInfo? = nil,
        by manager: AWSServiceManager = .default(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFailure) -> AWSServiceConfiguration {
        let info = section == nil ? info : info ?? .default()
        if let section, let found = info?.defaultServiceInfo(section) { return found.configuration }
        if let configuration = manager.defaultServiceConfiguration { return configuration }
        if let region = try MachineSettings(environment).region() { return AWSServiceConfiguration(region: region) }
        throw info?.failure
            ?? ConfigurationFailure(
                "There is no service configuration: set AWSServiceManager.default().defaultServiceConfiguration, or the "
                    + "environment variables AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile "
                    + "with region and keys in ~/.aws/config, or put an awsconfiguration.json beside the program."
            )
    }

    private func endpoint(
        of service: AWSService,
        in region: Region,
        _ environment: [String: String]
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

    private func credentialsSource(in region: Region, _ environment: [String: String]) -> any CredentialsSource {
        switch credentialsProvider {
        case nil: CredentialsChain(in: CredentialsContext(region: region, environment: environment))
        case let known as any CredentialsSourceProvider: known.credentialsSource
        case let provider?: ProvidedCredentials(from: provider)
        }
    }
}
