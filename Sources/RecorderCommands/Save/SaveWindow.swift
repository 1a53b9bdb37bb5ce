import Foundation

/// Limits the bytes between the input and the disk: a reader that is faster than the disk waits here.
final class SaveWindow: @unchecked Sendable {
    // Safe because the mutable state is read and written only under the condition's lock.
    private let condition = NSCondition()
    private var load = 0
    private let capacity: ByteCount

    init(capacity: ByteCount) {
        self.capacity = capacity
    }

    /// Blocks until there is room. An empty window takes a chunk of any size.
    func enter(_ size: Int) {
        condition.lock()
        while load > 0, load + size > capacity.bytes { condition.wait() }
        load += size
        condition.unlock()
    }

    func leave(_ size: Int) {
        condition.lock()
        load -= size
        condition.broadcast()
        condition.unlock()
    }

    /// Blocks until the window is empty.
    func waitUntilEmpty() {
        condition.lock()
        while load > 0 { condition.wait() }
        condition.unlock()
    }
}
