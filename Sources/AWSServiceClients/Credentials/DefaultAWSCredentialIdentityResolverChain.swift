import Foundation
package import RecorderAWS

/// The keys that this machine is configured with, from the first source that is configured: the environment, a web
/// identity, the profile in use, a device's certificate (AWS IoT), the container agent, the metadata service of an EC2
/// instance. The recorders use the same.
///
/// Temporary keys are cached and renewed before they expire, so share one chain instead of creating one for each call.
public struct DefaultAWSCredentialIdentityResolverChain: AWSCredentialIdentityResolver {
    private let source: any CredentialsSource

    /// Creates the chain of this process. The environment is read now, everything else when keys are first needed.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    init(environment: [String: String], region: Region? = nil) {
        source = CredentialsChain(in: CredentialsContext(region: region, environment: environment))
    }

    /// The keys of the first source that is configured.
    public func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        let keys: Credentials?
        do throws(CredentialsFailure) {
            keys = try await source.credentials()
        } catch {
            throw ServiceFailure(error).clientError
        }
        guard let keys else { throw AWSClientError(.credentials, message: "No credentials are set up.") }
        return AWSCredentialIdentity(keys)
    }
}

extension DefaultAWSCredentialIdentityResolverChain: CredentialsSource {
    package func credentials() async throws(CredentialsFailure) -> Credentials? { try await source.credentials() }

    package func invalidate() { source.invalidate() }
}
