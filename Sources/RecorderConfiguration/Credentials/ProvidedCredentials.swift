package import AWSTasks
import Foundation
package import RecorderAWS
import RecorderConcurrency

/// The credentials of a provider that the user wrote.
package final class ProvidedCredentials: CredentialsSource, @unchecked Sendable {
    // Safe because the reference is immutable, and the protocol requires methods that any thread may call.
    private let provider: any AWSCredentialsProvider
    private let mustInvalidate = Locked(false)

    /// The credentials of this provider.
    package init(from provider: any AWSCredentialsProvider) {
        self.provider = provider
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        let given = try await ProviderTask.result(of: "The credentials provider") {
            let isInvalid = self.mustInvalidate.withLock { isInvalid in
                defer { isInvalid = false }
                return isInvalid
            }
            if isInvalid { self.provider.invalidateCachedTemporaryCredentials() }
            return self.provider.credentials()
        }
        guard let credentials = given?.credentials else { return nil }
        guard !credentials.accessKeyID.isEmpty, !credentials.secretAccessKey.isEmpty else {
            throw CredentialsFailure("The credentials provider gave empty keys: create them with all four arguments.")
        }
        return credentials
    }

    /// The provider is told right before it is asked again, where it may block.
    package func invalidate() { mustInvalidate.withLock { $0 = true } }
}

/// Awaits tasks of user code: credentials providers and identity providers.
package enum ProviderTask {
    /// The task's result. Its error becomes the failure's cause; `name` names the user code in messages.
    ///
    /// User code may block, so it is called on a queue of its own. The thread pools of Swift concurrency and of the global
    /// queues are small: on a machine with one core, a provider that waits for another one would block the only thread.
    ///
    /// If the waiting task is cancelled, this throws at once. A call that has not returned cannot be stopped: it keeps its thread.
    package static func result<Result>(
        of name: String,
        _ request: @escaping @Sendable () -> AWSTask<Result>
    ) async throws(CredentialsFailure) -> Result? {
        let call = SingleFlight<AWSTask<Result>, CredentialsFailure>(cancelled: .stoppedWaiting)
        let task: AWSTask<Result>
        do throws(CredentialsFailure) {
            task = try await call.value {
                await withCheckedContinuation { continuation in
                    DispatchQueue(label: "AWSCredentialsProvider").async { continuation.resume(returning: request()) }
                }
            }
        } catch {
            warnOfAbandonedCall(name)
            throw error
        }
        do {
            return try await task.value
        } catch {
            if Task.isCancelled { throw .stoppedWaiting }
            guard task.error != nil else { throw CredentialsFailure("\(name) cancelled its task.") }
            throw CredentialsFailure("\(name) failed: \(error.localizedDescription)", cause: error)
        }
    }

    private static let abandoned = Locked<Set<String>>([])

    /// Once in a process for each kind of user code.
    private static func warnOfAbandonedCall(_ name: String) {
        guard abandoned.withLock({ $0.insert(name).inserted }) else { return }
        RecorderLog.warning(
            "\(name) had not returned its task when the call that needs it was cancelled. It is left alone, and keeps its thread "
                + "until it returns. Return the task at once, and complete it later."
        )
    }
}
