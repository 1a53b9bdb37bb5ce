import Dispatch
import RecorderConcurrency

/// Limits the bytes between the input and the disk: a reader that is faster than the disk waits here. Only one thread waits.
final class SaveWindow: Sendable {
    private let load = Locked(0)
    private let released = DispatchSemaphore(value: 0)
    private let capacity: ByteCount

    /// Each record counts so many bytes more.
    static let overhead = 32

    init(capacity: ByteCount = .mebibytes(4)) {
        self.capacity = capacity
    }

    /// Blocks until there is room. An empty window takes a chunk of any size.
    func enter(_ size: Int) {
        while !tryToEnter(size) { released.wait() }
    }

    private func tryToEnter(_ size: Int) -> Bool {
        load.withLock { load in
            guard load == 0 || load + size <= capacity.bytes else { return false }
            load += size
            return true
        }
    }

    func leave(_ size: Int) {
        load.withLock { $0 -= size }
        released.signal()
    }

    /// Blocks until the window is empty.
    func waitUntilEmpty() {
        while load.withLock({ $0 }) > 0 { released.wait() }
    }
}
