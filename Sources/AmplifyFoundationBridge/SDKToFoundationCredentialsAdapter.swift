public import AWSCore
public import AWSServiceClients
public import AmplifyFoundation
import Foundation

/// Adapts a provider of `AWSCore`, or a resolver of the service clients, to the Amplify clients.
///
/// ```swift
/// let cognito = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// let kinesis = try AmplifyKinesisClient(
///     region: "us-east-1",
///     credentialsProvider: SDKToFoundationCredentialsAdapter(provider: cognito)
/// )
/// ```
/// Calls the provider or the resolver for each request and throws its errors.
public struct SDKToFoundationCredentialsAdapter: AmplifyFoundation.AWSCredentialsProvider, Sendable {
    private let keys: @Sendable () async throws -> any AmplifyFoundation.AWSCredentials

    /// An adapter for a provider, such as `AWSCognitoCredentialsProvider`.
    public init(provider: any AWSCore.AWSCredentialsProvider) {
        let provider = ThreadSafeProvider(provider)
        keys = {
            guard let keys = try await provider.task().value else { throw NoCredentials() }
            return Self.keys(
                id: keys.accessKey,
                secret: keys.secretKey,
                token: keys.sessionKey,
                expiration: keys.expiration
            )
        }
    }

    /// An adapter for a resolver, such as `DefaultAWSCredentialIdentityResolverChain`.
    public init(resolver: any AWSCredentialIdentityResolver) {
        keys = {
            let keys = try await resolver.getIdentity()
            return Self.keys(
                id: keys.accessKey,
                secret: keys.secret,
                token: keys.sessionToken,
                expiration: keys.expiration
            )
        }
    }

    /// The current keys; `AWSTemporaryCredentials` if they have a session token.
    public func resolve() async throws -> any AmplifyFoundation.AWSCredentials { try await keys() }

    private static func keys(
        id: String,
        secret: String,
        token: String?,
        expiration: Date?
    ) -> any AmplifyFoundation.AWSCredentials {
        guard let token else { return Permanent(accessKeyId: id, secretAccessKey: secret) }
        return Temporary(
            accessKeyId: id,
            secretAccessKey: secret,
            sessionToken: token,
            expiration: expiration ?? .distantFuture
        )
    }
}

/// A provider for use in a `@Sendable` closure.
private struct ThreadSafeProvider: @unchecked Sendable {
    // Safe because the reference never changes, and the protocol requires thread-safe methods.
    let provider: any AWSCore.AWSCredentialsProvider

    init(_ provider: any AWSCore.AWSCredentialsProvider) {
        self.provider = provider
    }

    /// Calls the provider on a dispatch queue, because it may block, which threads of async code must not.
    func task() async -> AWSTask<AWSCore.AWSCredentials> {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "AWSCredentialsProvider").async {
                continuation.resume(returning: self.provider.credentials())
            }
        }
    }
}

/// The provider's task had neither keys nor an error. Unsigned requests would be refused.
private struct NoCredentials: LocalizedError {
    var errorDescription: String? { "The credentials provider gave no keys. Give the client one that has some." }
}

private struct Permanent: AmplifyFoundation.AWSCredentials {
    let accessKeyId: String
    let secretAccessKey: String
}

private struct Temporary: AWSTemporaryCredentials {
    let accessKeyId: String
    let secretAccessKey: String
    let sessionToken: String
    let expiration: Date
}

extension Permanent: CustomReflectable {
    /// A mirror without keys.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Temporary: CustomReflectable {
    /// A mirror without keys.
    var customMirror: Mirror { Mirror(self, children: []) }
}
