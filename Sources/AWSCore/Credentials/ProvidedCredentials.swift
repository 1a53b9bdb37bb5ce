import Foundation
package import RecorderAWS

/// The keys of a provider that the user wrote.
package final class ProvidedCredentials: CredentialsSource, @unchecked Sendable {
    // Safe because the reference never changes, and the protocol demands methods that any thread may call.
    private let provider: any AWSCredentialsProvider

    /// A source over this provider.
    package init(from provider: any AWSCredentialsProvider) {
        self.provider = provider
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await UserTask.result(asking: "The credentials provider") { self.provider.credentials() }?.credentials
    }

    package func invalidate() {
        provider.invalidateCachedTemporaryCredentials()
    }
}

extension CredentialsSource {
    /// The other way round: the keys as a task, which faults with the error for users.
    func credentialsTask() -> AWSTask<AWSCredentials> {
        AWSTask {
            do {
                return try await self.credentials().map(AWSCredentials.init)
            } catch let failure as CredentialsFailure {
                throw failure.nsError()
            }
        }
    }
}
