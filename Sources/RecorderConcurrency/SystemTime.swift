import Dispatch
import Glibc

/// The time that passes, and waiting for it: the store, the delivery and the engine ask nothing else for it. The wall clock is
/// `SystemClock`'s, chance is `SystemRandom`'s.
package enum SystemTime {
    package typealias Instant = ContinuousClock.Instant

    package static var now: Instant { ContinuousClock.now }

    /// Blocks the thread.
    package static func block(for time: Duration) { usleep(UInt32(max(time / .microseconds(1), 0))) }

    package static func sleep(for time: Duration) async throws(CancellationError) {
        try await sleep(until: now + time)
    }

    package static func sleep(until end: Instant) async throws(CancellationError) {
        do { try await Task.sleep(until: end) } catch { throw CancellationError() }
    }

    /// Calls `body` later, on another thread.
    package static func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time.dispatchInterval, execute: body)
    }
}

/// What one thread opens, once, for another one that waits.
package final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func open() { semaphore.signal() }

    /// Blocks the thread; false if it was not opened in time.
    package func wait(until end: SystemTime.Instant) -> Bool {
        semaphore.wait(timeout: .now() + max(end - SystemTime.now, .zero).dispatchInterval) == .success
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(self / .nanoseconds(1))) }
}
