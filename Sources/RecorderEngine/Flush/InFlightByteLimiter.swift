import RecorderConcurrency

/// The bytes that the requests of one flush may have on their way at the same time.
///
/// Who asks first is served first. A request larger than the whole budget waits until nothing else is on its way.
final class InFlightByteLimiter: Sendable {
    private struct State {
        var available: Int
        var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let capacity: Int
    private let state: Locked<State>

    init(_ capacity: Int) {
        self.capacity = capacity
        state = Locked(State(available: capacity))
    }

    /// Waits until there is room for so many bytes, and takes it; `give` it back.
    func take(_ bytes: Int) async {
        let bytes = min(bytes, capacity)
        await withCheckedContinuation { continuation in
            let isRoom = state.withLock { state in
                guard state.waiting.isEmpty, state.available >= bytes else {
                    state.waiting.append((bytes, continuation))
                    return false
                }
                state.available -= bytes
                return true
            }
            if isRoom { continuation.resume() }
        }
    }

    func give(_ bytes: Int) {
        let bytes = min(bytes, capacity)
        let served = state.withLock { state in
            state.available += bytes
            var served: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, next.bytes <= state.available {
                state.available -= next.bytes
                served.append(state.waiting.removeFirst().continuation)
            }
            return served
        }
        for continuation in served { continuation.resume() }
    }
}
