public import AWSServiceClients
public import AWSTasks
public import Foundation
public import RecordClientFoundation
public import RecorderConfiguration

/// Adapts a provider of `AmplifyFoundation` to the service clients, and to the recorders and service configurations of
/// `AWSCore`.
///
/// ```swift
/// let provider = FoundationToSDKCredentialsAdapter(provider: amplifyProvider)
/// let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
/// let client = KinesisClient(
///     config: try KinesisClient.KinesisClientConfiguration(
///         awsCredentialIdentityResolver: provider,
///         region: "us-east-1"
///     )
/// )
/// ```
/// Calls its provider for each request, and for concurrent requests concurrently. Passes its errors on.
public final class FoundationToSDKCredentialsAdapter: NSObject, RecordClientFoundation.AWSCredentialsProvider,
    AWSCredentialIdentityResolver, RecorderConfiguration.AWSCredentialsProvider, CustomReflectable, @unchecked Sendable
{
    // Safe because the reference never changes, and `AmplifyFoundation`'s providers answer on any thread.
    private let provider: any RecordClientFoundation.AWSCredentialsProvider

    /// An adapter for this provider.
    public init(provider: any RecordClientFoundation.AWSCredentialsProvider) {
        self.provider = provider
    }

    /// The provider's current keys.
    public func resolve() async throws -> any RecordClientFoundation.AWSCredentials { try await provider.resolve() }

    /// The provider's current keys, with their session token if they have one.
    public func credentials() -> AWSTask<RecorderConfiguration.AWSCredentials> {
        AWSTask { [self] in
            let keys = try await getIdentity()
            return RecorderConfiguration.AWSCredentials(
                accessKey: keys.accessKey,
                secretKey: keys.secret,
                sessionKey: keys.sessionToken,
                expiration: keys.expiration
            )
        }
    }

    /// A mirror without children, because the provider's mirror may contain keys.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Does nothing, because no keys are cached here.
    public func invalidateCachedTemporaryCredentials() {}
}
