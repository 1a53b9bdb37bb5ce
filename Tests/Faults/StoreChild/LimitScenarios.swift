import Foundation
import Glibc
import RecorderEngine
import RecorderStore
import RecorderTestSupport

/// Scenarios that enforce limits on a large store.
extension StoreChild {
    /// One save under a low limit; returns once everything beyond the limit has been evicted.
    func evict() async {
        await save("\(name)-0", to: "stream")
        await store.pipeline.limitsEnforced()
    }

    /// Measures an awaited save in a store at its limits with `count` streams, in microseconds of processor time.
    func streams() async {
        for number in 0..<count - 1 {
            store.pipeline.save(Data([1]), stream: "s\(number)", partitionKey: nil) { _ in }
        }
        await save("filled", to: "stream")
        let stored = (try? store.pipeline.totals().bytes) ?? 0
        store.pipeline.configure { $0.limits.bytes = max(stored, 100_000) }
        store.pipeline.configure { $0.limits.age = .seconds(3_600) }
        let saves = 300
        // Each of the first saves reads a segment.
        for number in 0..<saves { await save("first-\(number)", to: "stream") }
        let start = Self.processorTime()
        for number in 0..<saves { await save("then-\(number)", to: "s\(number % count)") }
        journal.note("microseconds \((Self.processorTime() - start) / saves)")
    }

    private static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
