package import AmplifyFoundation
import Foundation
package import RecorderAWS
import RecorderConcurrency

/// The keys of the provider that a client was made with.
package final class ProviderCredentials: AWSCredentialIdentityResolver, CustomReflectable, @unchecked Sendable {
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

    /// The provider's keys of this moment. Who asks while it is being asked shares its answer.
    package func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        let keys = try await flight.value { () throws(CredentialsFailure) in try await self.resolve() }
        return AWSCredentialIdentity(
            accessKey: keys.accessKeyID,
            secret: keys.secretAccessKey,
            expiration: keys.expiration,
            sessionToken: keys.sessionToken
        )
    }

    /// A mirror without children: the provider is the user's, and may show its keys.
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
