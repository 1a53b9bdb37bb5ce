package import RecorderAWS

/// The keys that this machine is configured with, from the first source that is configured: the environment, a web
/// identity, the profile in use, a device's certificate (AWS IoT), the container agent, the metadata service of an EC2
/// instance. The recorders use the same.
///
/// Temporary keys are cached and renewed before they expire, so share one chain instead of creating one for each call.
public struct DefaultAWSCredentialIdentityResolverChain: AWSCredentialIdentityResolver {
    private let chain: CredentialsChain

    /// Creates the chain of this process. The environment is read now, everything else when keys are first needed.
    public init() {
        self.init(in: nil)
    }

    /// Asks the Security Token Service of this region.
    package init(in region: Region?) {
        chain = CredentialsChain(in: CredentialsContext(region: region))
    }

    /// The keys of the first source that is configured.
    public func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        let keys: Credentials?
        do throws(CredentialsFailure) {
            keys = try await chain.credentials()
        } catch {
            throw ServiceFailure(error).clientError
        }
        guard let keys else { throw AWSClientError(.credentials, message: "No credentials are set up.") }
        return AWSCredentialIdentity(keys)
    }
}

extension DefaultAWSCredentialIdentityResolverChain: CredentialsSource {
    package func credentials() async throws(CredentialsFailure) -> Credentials? { try await chain.credentials() }

    package func invalidate() { chain.invalidate() }
}
