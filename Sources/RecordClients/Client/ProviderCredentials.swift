package import AWSServiceClients
import Foundation
package import RecordClientFoundation
package import RecorderAWS
import RecorderConcurrency

/// The credentials of the provider that a client was created with.
package final class ProviderCredentials: CredentialsSource, AWSCredentialIdentityResolver, CustomReflectable,
    @unchecked Sendable
{
    // Safe because the reference is immutable, and the provider is called by one thread at a time.
    private let provider: any AWSCredentialsProvider
    private let flight = SingleFlight<Credentials, CredentialsFailure>(
        cancelled: .stoppedWaiting,
        on: UserCodeExecutor.shared
    )
    private let thrown = Locked<(any Error)?>(nil)

    /// The credentials of this provider.
    package init(_ provider: any AWSCredentialsProvider) {
        self.provider = provider
    }

    /// The provider's last error; nil if its last call succeeded.
    package var lastError: (any Error)? { thrown.withLock { $0 } }

    /// The provider's credentials. Concurrent callers share one call to the provider.
    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await flight.value(resolve)
    }

    /// Nothing is cached: the provider is called for every request.
    package func invalidate() {}

    package func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        AWSCredentialIdentity(try await flight.value(resolve))
    }

    /// Empty, because the user's provider may show its keys.
    package var customMirror: Mirror { Mirror(self, children: []) }

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
