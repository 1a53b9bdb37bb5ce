public import AWSCore
public import AWSServiceClients
public import AmplifyFoundation
import Foundation

/// A provider of `AWSCore`, or a resolver of the service clients, for the Amplify clients.
///
/// ```swift
/// let cognito = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// let kinesis = try AmplifyKinesisClient(
///     region: "us-east-1",
///     credentialsProvider: SDKToFoundationCredentialsAdapter(provider: cognito)
/// )
/// ```
/// Asks for each request; what the other side throws, this one throws.
public struct SDKToFoundationCredentialsAdapter: AmplifyFoundation.AWSCredentialsProvider, Sendable {
    private let keys: @Sendable () async throws -> any AmplifyFoundation.AWSCredentials

    /// An adapter of a provider, such as `AWSCognitoCredentialsProvider`.
    public init(provider: any AWSCore.AWSCredentialsProvider) {
        let box = AnyThread(provider)
        keys = {
            guard let keys = try await box.task().value else { throw NoCredentials() }
            return Self.keys(keys.accessKey, keys.secretKey, keys.sessionKey, keys.expiration)
        }
    }

    /// An adapter of a resolver, such as `DefaultAWSCredentialIdentityResolverChain`.
    public init(resolver: any AWSCredentialIdentityResolver) {
        keys = {
            let keys = try await resolver.getIdentity()
            return Self.keys(keys.accessKey, keys.secret, keys.sessionToken, keys.expiration)
        }
    }

    /// The keys of this moment: `AWSTemporaryCredentials` where they come with a token.
    public func resolve() async throws -> any AmplifyFoundation.AWSCredentials { try await keys() }

    private static func keys(
        _ id: String,
        _ secret: String,
        _ token: String?,
        _ end: Date?
    ) -> any AmplifyFoundation.AWSCredentials {
        guard let token else { return Permanent(accessKeyId: id, secretAccessKey: secret) }
        return Temporary(
            accessKeyId: id,
            secretAccessKey: secret,
            sessionToken: token,
            expiration: end ?? .distantFuture
        )
    }
}

/// Carries a provider, which any thread may ask, into a closure that any thread may call.
private struct AnyThread: @unchecked Sendable {
    // Safe because the reference never changes, and the protocol demands methods that any thread may call.
    let provider: any AWSCore.AWSCredentialsProvider

    init(_ provider: any AWSCore.AWSCredentialsProvider) {
        self.provider = provider
    }

    /// The provider may block, so it is asked off the threads that async code shares.
    func task() async -> AWSTask<AWSCore.AWSCredentials> {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "AWSCredentialsProvider").async {
                continuation.resume(returning: self.provider.credentials())
            }
        }
    }
}

/// The provider's task had no keys and no error: requests would go unsigned, which these services refuse.
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
    /// Shows no key.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Temporary: CustomReflectable {
    /// Shows no key.
    var customMirror: Mirror { Mirror(self, children: []) }
}
