package import AWSServiceClients
import Foundation
package import RecordClientFoundation
package import RecorderAWS
import RecorderConcurrency

/// The credentials of a client: those of the provider that it was created with, or the machine's.
package final class ProviderCredentials: CredentialsSource, AWSCredentialIdentityResolver, CustomReflectable,
    @unchecked Sendable
{
    private enum Origin {
        case provider(any AWSCredentialsProvider)
        case machine(CredentialsChain)
    }

    // Safe because the reference is immutable, and the provider is called by one thread at a time.
    private let origin: Origin
    private let flight = SingleFlight<Credentials, CredentialsFailure>(
        cancelled: .stoppedWaiting,
        on: UserCodeExecutor.shared
    )

    /// The credentials of this provider.
    package init(_ provider: any AWSCredentialsProvider) {
        origin = .provider(provider)
    }

    /// The credentials that this machine is configured with.
    package init(ofMachineIn region: String) throws(RecordClientError) {
        do {
            origin = .machine(CredentialsChain(in: CredentialsContext(region: try Region(region))))
        } catch {
            throw .region(error)
        }
    }

    /// The provider's credentials. Concurrent callers share one call to the provider.
    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await flight.value(resolve)
    }

    /// Of a provider nothing is cached here; an adapted one may cache keys itself.
    package func invalidate() {
        switch origin {
        case .provider(let provider): (provider as? any CredentialsSource)?.invalidate()
        case .machine(let chain): chain.invalidate()
        }
    }

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
        switch origin {
        case .provider(let provider): return try await keys(of: provider)
        case .machine(let chain):
            guard let keys = try await chain.credentials() else {
                throw CredentialsFailure("No credentials are set up.")
            }
            return keys
        }
    }

    private func keys(of provider: any AWSCredentialsProvider) async throws(CredentialsFailure) -> Credentials {
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
