public import AWSCore
public import AmplifyFoundation
import Foundation

/// A provider of `AmplifyFoundation` for the recorders and service configurations of `AWSCore`.
///
/// ```swift
/// let provider = FoundationToSDKCredentialsAdapter(provider: amplifyProvider)
/// let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
/// ```
/// Asks its provider for each request; where that throws, the task faults with the same error.
public final class FoundationToSDKCredentialsAdapter: NSObject, AWSCore.AWSCredentialsProvider, CustomReflectable,
    @unchecked Sendable
{
    // Safe because the reference never changes, and `AmplifyFoundation`'s providers answer on any thread.
    private let provider: any AmplifyFoundation.AWSCredentialsProvider

    /// An adapter of this provider.
    public init(provider: any AmplifyFoundation.AWSCredentialsProvider) {
        self.provider = provider
    }

    /// The provider's keys of this moment, with the token of those that have one.
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

    /// A mirror without children: the provider may show its keys.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Does nothing: no keys are kept here.
    public func invalidateCachedTemporaryCredentials() {}
}
