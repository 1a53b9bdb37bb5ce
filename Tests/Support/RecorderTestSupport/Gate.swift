import Foundation

/// Blocks threads of the local server until the test opens it.
package final class Gate: @unchecked Sendable {
    // Safe because the only mutable state is read and written under the condition's lock.
    private let condition = NSCondition()
    private var isOpen = false

    /// A closed gate.
    package init() {}

    /// Lets all waiting and later threads through.
    package func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }

    /// Blocks the calling thread until the gate is open, or for nine minutes so that a failing test still ends.
    package func wait() {
        let deadline = Date(timeIntervalSinceNow: 540)
        condition.lock()
        while !isOpen, condition.wait(until: deadline) {}
        condition.unlock()
    }
}
