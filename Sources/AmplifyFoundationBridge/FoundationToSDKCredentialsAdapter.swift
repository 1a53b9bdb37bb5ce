public import AWSCore
public import AmplifyFoundation
import Foundation

/// Adapts a provider of `AmplifyFoundation` to the recorders and service configurations of `AWSCore`.
///
/// ```swift
/// let provider = FoundationToSDKCredentialsAdapter(provider: amplifyProvider)
/// let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
/// ```
/// Calls its provider for each request. If that throws, the task faults with the same error.
public final class FoundationToSDKCredentialsAdapter: NSObject, AWSCore.AWSCredentialsProvider, CustomReflectable,
    @unchecked Sendable
{
    // Safe because the reference never changes, and `AmplifyFoundation`'s providers answer on any thread.
    private let provider: any AmplifyFoundation.AWSCredentialsProvider

    /// An adapter for this provider.
    public init(provider: any AmplifyFoundation.AWSCredentialsProvider) {
        self.provider = provider
    }

    /// The provider's current keys, with their session token if they have one.
    public func credentials() -> AWSTask<AWSCore.AWSCredentials> {
        AWSTask { [self] in
            let keys = try await provider.resolve()
            let temporary = keys as? any AWSTemporaryCredentials
            return AWSCore.AWSCredentials(
                accessKey: keys.accessKeyId,
                secretKey: keys.secretAccessKey,
                sessionKey: temporary?.sessionToken,
                expiration: temporary?.expiration
            )
        }
    }

    /// A mirror without children, because the provider's mirror may contain keys.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Does nothing, because no keys are cached here.
    public func invalidateCachedTemporaryCredentials() {}
}
