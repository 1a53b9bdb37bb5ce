import Foundation
import Glibc
import RecorderEngine
import RecorderTestSupport

/// What limits ask of a store with much in it.
extension StoreChild {
    /// One save under a limit that leaves little of what is stored, until all that is over it is gone.
    func evict() async {
        await save("\(name)-0", to: "stream")
        await store.pipeline.limitsEnforced()
    }

    /// What an awaited save costs with so many streams in a store at its limits, in microseconds of processor time.
    func streams() async {
        for number in 0..<count - 1 {
            store.pipeline.save(Data([1]), stream: "s\(number)", partitionKey: nil) { _ in }
        }
        await save("filled", to: "stream")
        store.pipeline.policy.limits.bytes = max((try? store.pipeline.totals().bytes) ?? 0, 100_000)
        store.pipeline.policy.limits.age = .seconds(3_600)
        let saves = 300
        // Each of the first ones reads a segment.
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
