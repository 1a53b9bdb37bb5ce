import CRecorderThread
import RecorderConcurrency

/// The memory of finished requests, for later ones of the same flush.
///
/// With new memory for each request, the heap of every thread that read a batch would keep that much free memory, and the system
/// would have to provide its pages again and again.
final class RequestBuffers: Sendable {
    private let idle = Locked<[[UInt8]]>([])

    /// An empty buffer with room for `capacity` bytes.
    func take(capacity: Int) -> [UInt8] {
        var buffer = idle.withLock { $0.popLast() } ?? []
        buffer.removeAll(keepingCapacity: buffer.capacity >= capacity)
        buffer.reserveCapacity(capacity)
        return buffer
    }

    /// Keeps the memory of a batch that is no longer needed. If something still refers to the bytes, they are not overwritten,
    /// but then no memory is saved.
    func recycle(_ batch: Batch) {
        idle.withLock { $0.append(batch.requestAsRead) }
    }
}

/// Returns the memory of large requests to the system.
///
/// After a large block was freed, glibc keeps others of its size, in the heap of each thread: a flush of 10 MB batches, never
/// two in memory at once, took up to 100 MB instead of 72 MB.
enum MallocTrim {
    private static let large = 4 * 1_024 * 1_024

    static func run(after bytes: Int) {
        if bytes >= large { _ = malloc_trim(0) }
    }
}
