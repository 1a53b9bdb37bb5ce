import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Completions and events run the application's code, which may block, save, and wait for other completions.
@Suite(.timeLimit(.minutes(10))) struct WaitingCallbackTests {
    /// Long enough for a busy machine; a callback whose awaited completion never runs would wait forever.
    private static let limit = DispatchTimeInterval.seconds(20)

    /// A signal that threads wait for.
    private final class Signal: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func send() { semaphore.signal() }

        func wait() -> Bool { semaphore.wait(timeout: .now() + WaitingCallbackTests.limit) == .success }
    }

    private func save(_ harness: PipelineHarness, _ text: String = "text", _ completion: @escaping @Sendable () -> Void)
    {
        harness.pipeline.save(text.data, stream: "stream", partitionKey: nil) { _ in completion() }
    }

    @Test func `a completion can wait for another save of the same store`() async throws {
        let harness = try PipelineHarness()
        let wasSignalled = await withCheckedContinuation { continuation in
            save(harness) {
                let stored = Signal()
                save(harness) { stored.send() }
                continuation.resume(returning: stored.wait())
            }
        }
        #expect(wasSignalled)
    }

    @Test func `a completion can wait for a later completion of the same commit`() async throws {
        let isQueued = Gate()
        let harness = try PipelineHarness(whenLocating: { isQueued.wait() })
        save(harness) {}
        let signal = Signal()
        let wasSignalled = await withCheckedContinuation { continuation in
            save(harness) { continuation.resume(returning: signal.wait()) }
            save(harness) { signal.send() }
            isQueued.open()
        }
        #expect(wasSignalled)
    }

    @Test func `completions can wait for clear, flush and counts of the same store`() async throws {
        let harness = try PipelineHarness()
        let wasSignalled = await withCheckedContinuation { continuation in
            save(harness) {
                let (flushed, cleared) = (Signal(), Signal())
                harness.pipeline.flush { _ in
                    harness.pipeline.clear { _ in cleared.send() }
                    if cleared.wait() { flushed.send() }
                }
                let isFlushed = flushed.wait()
                continuation.resume(returning: isFlushed && (try? harness.records()) == 0)
            }
        }
        #expect(wasSignalled)
    }

    @Test func `a hundred completions can each wait for the next, and begin in the order of their saves`()
        async throws
    {
        let count = 100
        let isQueued = Gate()
        let harness = try PipelineHarness(whenLocating: { isQueued.wait() })
        let (begun, missed) = (Recorded<Int>(), Recorded<Int>())
        let ends = (0...count).map { _ in Signal() }
        await withCheckedContinuation { continuation in
            for number in 0..<count {
                save(harness) {
                    begun.append(number)
                    if missed.all.isEmpty, !ends[number + 1].wait() { missed.append(number) }
                    ends[number].send()
                    if number == 0 { continuation.resume() }
                }
            }
            save(harness) { ends[count].send() }
            isQueued.open()
        }
        #expect(missed.all.isEmpty)
        #expect(begun.all == Array(0..<count))
    }

    @Test func `blocked callbacks do not stop a save, a flush or a later callback from completing`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let (harness, stuck) = (try PipelineHarness(to: server), Gate())
        defer { stuck.open() }
        for _ in 0..<3 { save(harness) { stuck.wait() } }
        let order = Recorded<Int>()
        await withCheckedContinuation { continuation in
            for number in 0..<200 {
                save(harness) {
                    order.append(number)
                    if number == 199 { continuation.resume() }
                }
            }
        }
        #expect(order.all == Array(0..<200))
        #expect(try await harness.flush().delivered == 203)
    }
}

extension String {
    fileprivate var data: Data { Data(utf8) }
}
