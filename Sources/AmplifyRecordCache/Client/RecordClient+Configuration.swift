import AmplifyFoundation
package import RecorderAWS

extension RecordClient {
    /// Checks a region's name, before a configuration or a file is named after it.
    package static func checkRegion(_ name: String) throws(RecordClientError) {
        do {
            _ = try Region(name)
        } catch {
            throw .region(error)
        }
    }

    /// What a client changes in a configuration after the user did: who signs, and how requests introduce themselves.
    package static func finish(
        _ configuration: AWSClientConfiguration,
        _ credentials: ProviderCredentials,
        product: String
    ) {
        let version = AmplifyMetadata.version
        configuration.awsCredentialIdentityResolver = credentials
        configuration.userAgentSuffix = "lib/\(AmplifyMetadata.platformName)#\(version) md/\(product)#\(version)"
    }
}
