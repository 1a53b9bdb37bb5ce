import Foundation

/// How much may be on its way to the disk at once: a reader that is faster waits here.
final class SaveWindow: @unchecked Sendable {
    // Safe because the only mutable state is read and written under the condition's lock.
    private let condition = NSCondition()
    private var load = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Blocks until there is room; one chunk always finds some.
    func enter(_ size: Int) {
        condition.lock()
        while load > 0, load + size > capacity { condition.wait() }
        load += size
        condition.unlock()
    }

    func leave(_ size: Int) {
        condition.lock()
        load -= size
        condition.broadcast()
        condition.unlock()
    }

    /// Blocks until everything has left.
    func waitUntilEmpty() {
        condition.lock()
        while load > 0 { condition.wait() }
        condition.unlock()
    }
}
