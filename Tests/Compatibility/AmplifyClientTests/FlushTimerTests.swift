import AmplifyRecordCache
import RecorderConcurrency
import Testing

/// When automatic flushes come, told without a clock.
@Suite(.timeLimit(.minutes(1))) struct FlushTimerTests {
    /// Waits that all end when the test says so, those that begin later at once; or when they are cancelled.
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

    /// The name of the first flush that comes, after `body` gave the timer its orders.
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

    @Test func `a start during the wait begins the interval anew`() async {
        let name = await firstFlush { timer, flush in
            timer.start(flush("first"))
            timer.start(flush("second"))
        }
        #expect(name == "second")
    }

    @Test func `a start after a pause begins the interval anew`() async {
        let name = await firstFlush { timer, flush in
            timer.start(flush("first"))
            timer.pause()
            timer.start(flush("second"))
        }
        #expect(name == "second")
    }
}
