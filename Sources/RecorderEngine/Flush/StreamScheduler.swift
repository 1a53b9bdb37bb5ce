/// Which streams may be under way together: so many, and as many as have room for their batches in memory. Pure.
///
/// A batch is in memory from when it is read, so streams with large ones must not all begin at once. One always may.
package struct StreamScheduler {
    private var waiting: ArraySlice<StreamSummary>
    private var running = 0
    private var bytes = 0
    private let policy: RecorderPolicy

    package init(_ streams: [StreamSummary], _ policy: RecorderPolicy) {
        waiting = streams[...]
        self.policy = policy
    }

    /// The first stream that waits.
    var left: StreamSummary? { waiting.first }

    /// The next stream, if it may begin now.
    package mutating func next() -> StreamSummary? {
        guard let queue = waiting.first, running < max(policy.parallelStreams, 1),
            running == 0 || bytes + memory(of: queue) <= policy.bytesOnTheirWay
        else { return nil }
        waiting.removeFirst()
        running += 1
        bytes += memory(of: queue)
        return queue
    }

    package mutating func ended(_ queue: StreamSummary) {
        running -= 1
        bytes -= memory(of: queue)
    }

    /// No further stream begins.
    mutating func close() { waiting = [] }

    /// What the batches of a stream take at once, in base64: those on their way, and the one that is read ahead.
    private func memory(of queue: StreamSummary) -> Int {
        let batches = policy.batchesPerStream == 1 ? 1 : min(max(policy.requestsPerStream, 1), 1 << 10) + 1
        return queue.batchBytes(limit: policy.batchByteLimit) * batches
    }
}
