import Foundation
package import RecorderAWS

/// The credentials of a provider that the user wrote.
package final class ProvidedCredentials: CredentialsSource, @unchecked Sendable {
    // Safe because the reference is immutable, and the protocol requires methods that any thread may call.
    private let provider: any AWSCredentialsProvider

    /// The credentials of this provider.
    package init(from provider: any AWSCredentialsProvider) {
        self.provider = provider
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        let given = try await ProviderTask.result(of: "The credentials provider") { self.provider.credentials() }
        guard let credentials = given?.credentials else { return nil }
        guard !credentials.accessKeyID.isEmpty, !credentials.secretAccessKey.isEmpty else {
            throw CredentialsFailure("The credentials provider gave empty keys: create them with all four arguments.")
        }
        return credentials
    }

    package func invalidate() {
        provider.invalidateCachedTemporaryCredentials()
    }
}

/// Awaits tasks of user code: credentials providers and identity providers.
enum ProviderTask {
    /// The task's result. Its error becomes the failure's cause; `name` names the user code in messages.
    ///
    /// User code may block, so it is called on a queue of its own. The thread pools of Swift concurrency and of the global
    /// queues are small: on a machine with one core, a provider that waits for another one would block the only thread.
    static func result<Result>(
        of name: String,
        _ request: @escaping @Sendable () -> AWSTask<Result>
    ) async throws(CredentialsFailure) -> Result? {
        let task = await withCheckedContinuation { continuation in
            DispatchQueue(label: "AWSCredentialsProvider").async { continuation.resume(returning: request()) }
        }
        do {
            return try await task.value
        } catch {
            if Task.isCancelled { throw .stoppedWaiting }
            guard let cause = task.error as NSError? else { throw CredentialsFailure("\(name) cancelled its task.") }
            throw CredentialsFailure("\(name) failed: \(cause.localizedDescription)", cause: cause)
        }
    }
}
