/// Decides which streams are flushed at the same time: a limited number, and only as many as have room for their batches in
/// memory. Pure.
///
/// A batch is in memory from when it is read, so streams with large batches must not all start at once. One always may.
package struct StreamScheduler {
    /// The streams that have not started.
    private(set) var waiting: ArraySlice<StreamSummary>
    private var running = 0
    private var bytes = 0
    private let policy: RecorderPolicy

    package init(_ streams: [StreamSummary], policy: RecorderPolicy) {
        waiting = streams[...]
        self.policy = policy
    }

    /// The next stream, if it may start now.
    package mutating func next() -> StreamSummary? {
        guard let stream = waiting.first, running < max(policy.parallelStreams, 1),
            running == 0 || bytes + memory(of: stream) <= policy.inFlightBytes
        else { return nil }
        waiting.removeFirst()
        running += 1
        bytes += memory(of: stream)
        return stream
    }

    package mutating func ended(_ stream: StreamSummary) {
        running -= 1
        bytes -= memory(of: stream)
    }

    /// Whether no stream is being flushed.
    var isIdle: Bool { running == 0 }

    /// Starts no further stream.
    mutating func close() { waiting = [] }

    /// The memory of a stream's batches at one time, in base64: those in flight, and the one that is read ahead.
    private func memory(of stream: StreamSummary) -> Int {
        let batches = policy.batchesPerStream == 1 ? 1 : min(max(policy.requestsPerStream, 1), 1 << 10) + 1
        return stream.batchBytes(for: policy) * batches
    }
}
