import Foundation
package import RecorderAWS
import RecorderConcurrency

/// Provides the keys for requests. Called once for every request, from any thread, so cache keys that are costly to
/// get.
public protocol AWSCredentialIdentityResolver: Sendable {
    /// Keys that are valid now. An error that it throws fails the call that needed the keys.
    func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity
}

/// Attributes of the request for a resolver. Always empty; declared so that existing resolvers compile.
public struct Attributes: Sendable {
    /// No attributes.
    public init() {}
}

extension AWSCredentialIdentityResolver {
    /// Keys that are valid now.
    public func getIdentity() async throws -> AWSCredentialIdentity {
        try await getIdentity(identityProperties: nil)
    }

    /// The source of the keys for calls. A resolver of this package is a source itself, so that its keys need no
    /// conversion.
    package var credentialsSource: any CredentialsSource {
        self as? any CredentialsSource ?? ResolvedCredentials(resolver: self)
    }
}

/// The keys of a resolver that the user wrote.
private struct ResolvedCredentials: CredentialsSource {
    let resolver: any AWSCredentialIdentityResolver

    func credentials() async throws(CredentialsFailure) -> Credentials? {
        let flight = SingleFlight<Credentials, CredentialsFailure>(
            cancelled: .stoppedWaiting,
            on: UserCodeExecutor.shared
        )
        return try await flight.value(resolve)
    }

    private func resolve() async throws(CredentialsFailure) -> Credentials {
        do {
            return try await resolver.getIdentity(identityProperties: nil).credentials
        } catch {
            if Task.isCancelled { throw .stoppedWaiting }
            let text = "The credentials resolver failed: \(error.localizedDescription)"
            throw CredentialsFailure(text, cause: error)
        }
    }

    /// Nothing is cached here: the resolver is called for every request.
    func invalidate() {}
}

/// A resolver that always returns the same keys.
public struct StaticAWSCredentialIdentityResolver: AWSCredentialIdentityResolver {
    private let identity: AWSCredentialIdentity

    /// Creates a resolver that always returns these keys.
    public init(_ identity: AWSCredentialIdentity) {
        self.identity = identity
    }

    /// The keys.
    public func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity { identity }
}

extension StaticAWSCredentialIdentityResolver: CredentialsSource {
    package func credentials() async throws(CredentialsFailure) -> Credentials? { identity.credentials }

    package func invalidate() {}
}
