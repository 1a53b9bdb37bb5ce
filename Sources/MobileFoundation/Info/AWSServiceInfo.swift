public import Foundation
package import RecorderAWS
public import RecorderConfiguration

/// The settings of one service in `awsconfiguration.json`. Immutable; safe to use from any thread.
public final class AWSServiceInfo: NSObject, @unchecked Sendable {
    // Safe because it is immutable.

    /// Provides the keys of the identity pool.
    public let cognitoCredentialsProvider: AWSCognitoCredentialsProvider

    /// The service's region.
    public let region: AWSRegionType

    /// The service's own entry; empty if there is none.
    public let infoDictionary: [String: Any]

    init(
        cognitoCredentialsProvider: AWSCognitoCredentialsProvider,
        region: AWSRegionType,
        infoDictionary: [String: Any]
    ) {
        self.cognitoCredentialsProvider = cognitoCredentialsProvider
        self.region = region
        self.infoDictionary = infoDictionary
    }

    /// The settings as a configuration.
    package var configuration: AWSServiceConfiguration {
        AWSServiceConfiguration(region: region, credentialsProvider: cognitoCredentialsProvider)
    }
}

extension AWSServiceConfiguration {
    /// The configuration for a recorder or client that was created without one: that of its section in
    /// `awsconfiguration.json`, otherwise the default one, otherwise the machine's region.
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
}
