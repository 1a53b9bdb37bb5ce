import RecordClients
import RecorderConcurrency
import Testing

/// The times of automatic flushes, tested without a clock.
@Suite(.timeLimit(.minutes(5))) struct FlushTimerTests {
    /// Waits that end together when the test ends them, or when they are cancelled. Later waits end at once.
    private final class Waits: Sendable {
        private struct State {
            var waiting: [AsyncStream<Void>.Continuation] = []
            var isOver = false
        }

        private let state = Locked(State())

        func sleep(_: Duration) async throws {
            let (end, continuation) = AsyncStream.makeStream(of: Void.self)
            let isOver = state.withLock { state in
                state.waiting.append(continuation)
                return state.isOver
            }
            if isOver { continuation.finish() }
            for await _ in end {}
            try Task.checkCancellation()
        }

        func end() {
            let waiting = state.withLock { state in
                state.isOver = true
                return state.waiting
            }
            for continuation in waiting { continuation.finish() }
        }
    }

    /// The name of the first flush after `body` has started and paused the timer.
    private func firstFlush(_ body: (FlushTimer, (String) -> @Sendable () async -> Void) -> Void) async -> String? {
        let waits = Waits()
        let timer = FlushTimer(every: .seconds(30)) { try await waits.sleep($0) }
        let (flushes, flushed) = AsyncStream<String>.makeStream()
        body(timer) { name in
            {
                timer.stop()
                flushed.yield(name)
            }
        }
        waits.end()
        return await flushes.first { _ in true }
    }

    @Test func `a start during the wait restarts the interval`() async {
        let name = await firstFlush { timer, flush in
            timer.start(flush("first"))
            timer.start(flush("second"))
        }
        #expect(name == "second")
    }

    @Test func `a start after a pause restarts the interval`() async {
        let name = await firstFlush { timer, flush in
            timer.start(flush("first"))
            timer.pause()
            timer.start(flush("second"))
        }
        #expect(name == "second")
    }
}
