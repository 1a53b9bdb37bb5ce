import RecorderConcurrency

/// Sends events to any number of listeners, each with its own sequence.
final class EventBroadcast: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<RecordEvent>.Continuation] = [:]
        var nextNumber = 0
        var isFinished = false
    }

    /// The number of events that wait for a slow listener. Beyond it the oldest are dropped.
    private static let bufferSize = 1_024

    private let state = Locked(State())

    /// A sequence of all events from now on, until the broadcast is finished.
    func stream() -> AsyncStream<RecordEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RecordEvent.self,
            bufferingPolicy: .bufferingNewest(Self.bufferSize)
        )
        let number: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextNumber += 1
            state.listeners[state.nextNumber] = continuation
            return state.nextNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            // Removed under the lock, released outside of it.
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ event: RecordEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    /// Ends every sequence.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
