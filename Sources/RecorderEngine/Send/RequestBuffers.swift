import RecorderConcurrency

/// The memory of requests that are through, for later ones of the same flush.
///
/// A flush that took new memory for each request would leave as much free behind in the heap of every thread that ever
/// read a batch, and touch pages that the system has to give it again and again.
final class RequestBuffers: Sendable {
    private let idle = Locked<[[UInt8]]>([])

    /// An empty buffer for so many bytes.
    func take(_ capacity: Int) -> [UInt8] {
        var buffer = idle.withLock { $0.popLast() } ?? []
        buffer.removeAll(keepingCapacity: buffer.capacity >= capacity)
        buffer.reserveCapacity(capacity)
        return buffer
    }

    /// Keeps the memory of a batch that nobody needs any more: what is still referred to elsewhere is never written to,
    /// but no memory is saved then.
    func giveBack(_ batch: Batch) {
        idle.withLock { $0.append(batch.requestAsRead) }
    }
}
