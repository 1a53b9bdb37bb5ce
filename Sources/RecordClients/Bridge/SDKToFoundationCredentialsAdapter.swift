public import AWSServiceClients
import AWSTasks
import Foundation
public import RecordClientFoundation
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
    RecordClientFoundation.AWSCredentialsProvider
{
    private let identity: @Sendable (Attributes?) async throws -> AWSCredentialIdentity

    /// An adapter for a provider, such as `AWSCognitoCredentialsProvider`.
    ///
    /// Without keys, as those of `AWSAnonymousCredentialsProvider`, calls throw ``FoundationBridgeError``.
    public init(provider: any RecorderConfiguration.AWSCredentialsProvider) {
        let provider = ThreadSafeProvider(provider)
        identity = { _ in
            guard let keys = try await provider.task().value else {
                throw FoundationBridgeError.unknown("The credentials provider gave no keys.")
            }
            return AWSCredentialIdentity(
                accessKey: keys.accessKey,
                secret: keys.secretKey,
                expiration: keys.expiration,
                sessionToken: keys.sessionKey
            )
        }
    }

    /// An adapter for a resolver, such as `DefaultAWSCredentialIdentityResolverChain`.
    public init(resolver: any AWSCredentialIdentityResolver) {
        identity = { try await resolver.getIdentity(identityProperties: $0) }
    }

    /// The current keys.
    public func getIdentity(identityProperties: Attributes? = nil) async throws -> AWSCredentialIdentity {
        try await identity(identityProperties)
    }
}

/// A provider for use in a `@Sendable` closure.
private struct ThreadSafeProvider: @unchecked Sendable {
    // Safe because the reference never changes, and the protocol requires thread-safe methods.
    let provider: any RecorderConfiguration.AWSCredentialsProvider

    init(_ provider: any RecorderConfiguration.AWSCredentialsProvider) {
        self.provider = provider
    }

    /// Calls the provider on a dispatch queue, because it may block, which threads of async code must not.
    func task() async -> AWSTask<RecorderConfiguration.AWSCredentials> {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "AWSCredentialsProvider").async {
                continuation.resume(returning: self.provider.credentials())
            }
        }
    }
}
