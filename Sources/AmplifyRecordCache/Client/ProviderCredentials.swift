package import AWSServiceClients
package import AmplifyFoundation
import Foundation
package import RecorderAWS
import RecorderConcurrency

/// The keys of the provider that a client was made with.
package final class ProviderCredentials: AWSCredentialIdentityResolver, CredentialsSource, CustomReflectable,
    @unchecked Sendable
{
    // Safe because the reference never changes, and the provider is entered by one call at a time.
    private let provider: any AWSCredentialsProvider
    private let flight = SingleFlight<Credentials, CredentialsFailure>(cancelled: .stoppedWaiting)
    private let thrown = Locked<(any Error)?>(nil)

    /// The keys of this provider.
    package init(_ provider: any AWSCredentialsProvider) {
        self.provider = provider
    }

    /// What the provider threw, if its last answer was an error.
    package var lastError: (any Error)? { thrown.withLock { $0 } }

    /// The provider's current keys, for calls.
    package func credentials() async throws(CredentialsFailure) -> Credentials? { try await keys() }

    /// Nothing is cached here: the provider is called for every request.
    package func invalidate() {}

    /// The provider's current keys, for readers of the service client's configuration.
    package func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        AWSCredentialIdentity(try await keys())
    }

    /// A mirror without children: the provider is the user's, and may show its keys.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Concurrent callers share one call of the provider.
    private func keys() async throws(CredentialsFailure) -> Credentials {
        try await flight.value { () throws(CredentialsFailure) in try await self.resolve() }
    }

    private func resolve() async throws(CredentialsFailure) -> Credentials {
        do {
            let keys = try await provider.resolve()
            thrown.withLock { $0 = nil }
            let temporary = keys as? any AWSTemporaryCredentials
            return Credentials(
                accessKeyID: keys.accessKeyId,
                secretAccessKey: keys.secretAccessKey,
                sessionToken: temporary?.sessionToken,
                expiration: temporary?.expiration
            )
        } catch {
            thrown.withLock { $0 = error }
            throw CredentialsFailure("The credentials provider failed: \(error.localizedDescription)")
        }
    }
}
