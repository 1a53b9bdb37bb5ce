package import AWSServiceClients
import AmplifyFoundation
import RecorderAWS

extension RecordClient {
    /// Checks a region's name, before a configuration or a file is named after it.
    package static func checkRegion(_ name: String) throws(RecordClientError) {
        do {
            _ = try Region(name)
        } catch {
            throw .region(error)
        }
    }

    /// What a client changes in a configuration after the user did: who signs, how requests introduce
    /// themselves, and where they are logged.
    package static func finish(
        _ configuration: AWSClientConfiguration,
        _ credentials: ProviderCredentials,
        client: String,
        product: String
    ) {
        let version = AmplifyMetadata.version
        configuration.awsCredentialIdentityResolver = credentials
        let log = AmplifyLogging.logger(for: client)
        configuration.log = RequestLog { line in log.debug(line()) }
        configuration.userAgentSuffix = "lib/\(AmplifyMetadata.platformName)#\(version) md/\(product)#\(version)"
    }
}
