import Dispatch
import RecorderConcurrency

/// Limits the bytes between the input and the disk: a reader that is faster than the disk waits here. Only one thread waits.
package final class SaveWindow: Sendable {
    private let load = Locked(0)
    private let released = DispatchSemaphore(value: 0)
    private let capacity: Int

    /// Each record counts so many bytes more.
    package static let overhead = 32

    /// `capacity` is in bytes; by default 4 MiB.
    package init(capacity: Int = 4 * 1_024 * 1_024) {
        self.capacity = capacity
    }

    /// Blocks until there is room. An empty window takes a chunk of any size.
    package func enter(_ size: Int) {
        while !tryToEnter(size) { released.wait() }
    }

    private func tryToEnter(_ size: Int) -> Bool {
        load.withLock { load in
            guard load == 0 || load + size <= capacity else { return false }
            load += size
            return true
        }
    }

    package func leave(_ size: Int) {
        load.withLock { $0 -= size }
        released.signal()
    }

    /// Blocks until the window is empty.
    package func waitUntilEmpty() {
        while load.withLock({ $0 }) > 0 { released.wait() }
    }
}
