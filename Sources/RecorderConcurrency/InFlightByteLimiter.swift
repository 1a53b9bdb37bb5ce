/// Limits the bytes of requests that are in flight at the same time.
///
/// First come, first served. A request larger than the whole limit waits until nothing else is in flight.
package final class InFlightByteLimiter: Sendable {
    private struct State {
        var available: Int
        var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let capacity: Int
    private let state: Locked<State>

    /// Nothing in flight yet; `capacity` is in bytes.
    package init(capacity: Int) {
        self.capacity = capacity
        state = Locked(State(available: capacity))
    }

    /// Waits until there is room for so many bytes, and takes it; give it back with ``release(_:)``.
    package func acquire(_ bytes: Int) async {
        let bytes = min(bytes, capacity)
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.waiting.isEmpty, state.available >= bytes else {
                    state.waiting.append((bytes, continuation))
                    return false
                }
                state.available -= bytes
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives back what ``acquire(_:)`` took for the same number of bytes.
    package func release(_ bytes: Int) {
        let bytes = min(bytes, capacity)
        let admitted = state.withLock { state in
            state.available += bytes
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, next.bytes <= state.available {
                state.available -= next.bytes
                admitted.append(state.waiting.removeFirst().continuation)
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }
}
