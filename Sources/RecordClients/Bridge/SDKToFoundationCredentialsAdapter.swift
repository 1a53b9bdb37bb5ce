public import AWSServiceClients
import Foundation
public import RecordClientFoundation
package import RecorderAWS
public import RecorderConfiguration

/// Adapts a provider of `AWSCore`, or a resolver of the service clients, to the Amplify clients.
///
/// ```swift
/// let cognito = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// let kinesis = try AmplifyKinesisClient(
///     region: "us-east-1",
///     credentialsProvider: SDKToFoundationCredentialsAdapter(provider: cognito)
/// )
/// ```
/// It is a resolver, too, so a provider of `AWSCore` can be used with the service clients. Calls the provider or the
/// resolver for each request and throws its errors.
public struct SDKToFoundationCredentialsAdapter: AWSCredentialIdentityResolver,
    RecordClientFoundation.AWSCredentialsProvider, CustomReflectable
{
    private let source: any CredentialsSource

    /// An adapter for a provider, such as `AWSCognitoCredentialsProvider`.
    ///
    /// Without keys, as those of `AWSAnonymousCredentialsProvider`, calls throw ``FoundationBridgeError``.
    public init(provider: any RecorderConfiguration.AWSCredentialsProvider) {
        source = ProvidedCredentials(from: provider)
    }

    /// An adapter for a resolver, such as `DefaultAWSCredentialIdentityResolverChain`.
    public init(resolver: any AWSCredentialIdentityResolver) {
        source = resolver.credentialsSource
    }

    /// The current keys.
    public func getIdentity(identityProperties: Attributes? = nil) async throws -> AWSCredentialIdentity {
        do throws(CredentialsFailure) {
            return AWSCredentialIdentity(try await keys())
        } catch {
            throw error.cause ?? ServiceFailure(error).clientError
        }
    }

    /// A mirror without children, because the provider's mirror may contain keys.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private func keys() async throws(CredentialsFailure) -> Credentials {
        guard let keys = try await source.credentials() else {
            let text = "The credentials provider gave no keys."
            throw CredentialsFailure(text, cause: FoundationBridgeError.unknown(text))
        }
        return keys
    }
}

extension SDKToFoundationCredentialsAdapter: CredentialsSource {
    package func credentials() async throws(CredentialsFailure) -> Credentials? { try await keys() }

    package func invalidate() { source.invalidate() }
}
