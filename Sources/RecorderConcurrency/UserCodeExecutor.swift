/// Runs asynchronous code of the application: credentials providers, and engines that send requests.
///
/// Such code may block its thread, even for ever, though `async` code must not. The pool of Swift's tasks has a thread for each
/// processor, so that one or two such calls would stop everything. Here each piece runs on a thread of its own, or on the calling
/// one while the system gives none.
package final class UserCodeExecutor: TaskExecutor {
    package static let shared = UserCodeExecutor()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Self.run { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs code of the application that is not asynchronous.
    package static func run(_ work: @escaping @Sendable () -> Void) {
        do throws(ThreadShortage) {
            try startThread(named: "recorder-user", timeout: .zero, work)
        } catch {
            work()
        }
    }
}
