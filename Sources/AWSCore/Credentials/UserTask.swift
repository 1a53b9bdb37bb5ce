import Foundation
import RecorderAWS

/// Awaits tasks that the user's code makes.
enum UserTask {
    /// What the task succeeds with; an error of it becomes the failure's cause.
    ///
    /// The user's code may block, so it runs on a queue of its own: the threads that async code and global queues share
    /// are few, and on a machine with one core a provider that waits for another would hold the thread it waits for.
    static func result<Result>(
        asking who: String,
        _ question: @escaping @Sendable () -> AWSTask<Result>
    ) async throws(CredentialsFailure) -> Result? {
        let task = await withCheckedContinuation { continuation in
            DispatchQueue(label: "AWSCredentialsProvider").async { continuation.resume(returning: question()) }
        }
        do {
            return try await task.value
        } catch {
            if Task.isCancelled { throw CredentialsFailure("Waiting for credentials was cancelled.", kind: .cancelled) }
            guard let cause = task.error as NSError? else { throw CredentialsFailure("\(who) cancelled its task.") }
            throw CredentialsFailure("\(who) failed: \(cause.localizedDescription)", cause: cause)
        }
    }
}
