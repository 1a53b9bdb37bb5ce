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

    package init(_ provider: any AWSCredentialsProvider) {
        self.provider = provider
    }

    /// The provider's credentials. Concurrent callers share one call to the provider.
    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await flight.value(resolve)
    }

    /// Nothing is cached here; an adapted provider may cache keys itself.
    package func invalidate() { (provider as? any CredentialsSource)?.invalidate() }

    package func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        do throws(CredentialsFailure) {
            return AWSCredentialIdentity(try await flight.value(resolve))
        } catch {
            throw ServiceFailure(error).clientError
        }
    }

    /// Empty, because the user's provider may show its keys.
    package var customMirror: Mirror { Mirror(self, children: []) }

    private func resolve() async throws(CredentialsFailure) -> Credentials {
        do {
            let keys = try await provider.resolve()
            let temporary = keys as? any AWSTemporaryCredentials
            return Credentials(
                accessKeyID: keys.accessKeyId,
                secretAccessKey: keys.secretAccessKey,
                sessionToken: temporary?.sessionToken,
                expiration: temporary?.expiration
            )
        } catch {
            throw CredentialsFailure(
                "The credentials provider failed: \(error.localizedDescription)",
                cause: error
            )
        }
    }
}
