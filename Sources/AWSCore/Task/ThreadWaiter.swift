import Foundation

/// Wakes one thread that waits for a task.
final class ThreadWaiter: TaskContinuation, @unchecked Sendable {
    // Safe because a semaphore may be used from any thread.
    private let semaphore = DispatchSemaphore(value: 0)

    init() {
        super.init(place: .immediate, child: nil)
    }

    override var wakesThread: Bool { true }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        semaphore.signal()
        return nil
    }

    func wait() {
        semaphore.wait()
    }
}
