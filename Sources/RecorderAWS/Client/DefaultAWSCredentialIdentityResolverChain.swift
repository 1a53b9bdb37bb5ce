import Foundation

/// The keys that this machine is set up with, as the recorders find them too: in the environment, by a web identity, in the
/// profile in use, from a container's agent, from the metadata of an EC2 instance; the first that is set up counts.
///
/// Temporary keys are kept and renewed in time, so share one chain rather than make one for each call.
public struct DefaultAWSCredentialIdentityResolverChain: AWSCredentialIdentityResolver {
    package let source: any CredentialsSource

    /// The chain for this process; reads the environment's variables now, all else when keys are first needed.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    package init(environment: [String: String], region: Region? = nil) {
        source = CredentialsChain(in: CredentialsContext(region: region, environment: environment))
    }

    /// The keys of the first source that is set up.
    public func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        do {
            guard let keys = try await source.credentials() else {
                throw CredentialsFailure("No credentials are set up.", kind: .notConfigured)
            }
            return AWSCredentialIdentity(
                accessKey: keys.accessKeyID,
                secret: keys.secretAccessKey,
                expiration: keys.expiration,
                sessionToken: keys.sessionToken
            )
        } catch let failure as CredentialsFailure {
            throw AWSClientError(.credentials, failure.message)
        }
    }
}

extension AWSCredentialIdentityResolver {
    /// This resolver as calls know it.
    package var credentialsSource: any CredentialsSource {
        (self as? DefaultAWSCredentialIdentityResolverChain)?.source ?? ResolvedCredentials(from: self)
    }
}

/// The keys of a resolver that the user wrote.
private struct ResolvedCredentials: CredentialsSource {
    private let resolver: any AWSCredentialIdentityResolver

    init(from resolver: any AWSCredentialIdentityResolver) {
        self.resolver = resolver
    }

    func credentials() async throws(CredentialsFailure) -> Credentials? {
        do {
            let identity = try await resolver.getIdentity(identityProperties: nil)
            return Credentials(
                accessKeyID: identity.accessKey,
                secretAccessKey: identity.secret,
                sessionToken: identity.sessionToken,
                expiration: identity.expiration
            )
        } catch {
            if Task.isCancelled { throw CredentialsFailure("Waiting for credentials was cancelled.", kind: .cancelled) }
            let text = "The credentials resolver failed: \(error.localizedDescription)"
            throw CredentialsFailure(text, cause: error as NSError)
        }
    }

    /// Nothing is kept here: the resolver is asked for every request.
    func invalidate() {}
}
