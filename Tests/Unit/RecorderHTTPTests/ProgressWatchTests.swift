import RecorderHTTP
import Testing

@Suite struct ProgressWatchTests {
    private let start = ContinuousClock.now

    private func watch(minimum: Int = 1) -> ProgressWatch {
        ProgressWatch(HTTPTimeouts(stall: .seconds(60), minimumBytesPerSecond: minimum), now: start)
    }

    /// The first fault of a transfer that moves `bytes` every `seconds`, and its time.
    private func firstFault(_ bytes: Int64, every seconds: Int, minimum: Int) -> (ProgressWatch.Fault, Duration)? {
        var watch = watch(minimum: minimum)
        var moved: Int64 = 0
        for second in 1...600 {
            let now = start + .seconds(second)
            if second.isMultiple(of: seconds) { moved += bytes }
            watch.note(moved, now: now)
            if let fault = watch.fault(now: now) { return (fault, now - start) }
        }
        return nil
    }

    @Test func `a transfer without progress fails after the stall time`() throws {
        let (fault, time) = try #require(firstFault(1, every: 1000, minimum: 1))
        #expect(fault == .stalled && time == .seconds(60))
    }

    @Test func `one byte in two seconds is too few, one a second is enough`() throws {
        let (fault, time) = try #require(firstFault(1, every: 2, minimum: 1))
        #expect(fault == .slow(bytes: 30) && time == .seconds(60))
        #expect(firstFault(1, every: 1, minimum: 1) == nil)
    }

    @Test func `bytes of an earlier stall time do not count`() {
        var watch = watch()
        watch.note(1_000_000, now: start + .seconds(1))
        watch.note(1_000_000, now: start + .seconds(60))
        #expect(watch.fault(now: start + .seconds(60)) == nil)
        #expect(watch.deadline == start + .seconds(61))
        watch.note(1_000_001, now: start + .seconds(61))
        watch.note(1_000_002, now: start + .seconds(120))
        #expect(watch.fault(now: start + .seconds(120)) == .slow(bytes: 2))
    }

    @Test func `what the other side still acknowledges is progress`() {
        var watch = watch()
        watch.note(100_000, waiting: 100_000, now: start)
        for second in stride(from: 8, through: 600, by: 8) {
            let now = start + .seconds(second)
            watch.note(100_000, waiting: Int64(100_000 - 100 * second), now: now)
            #expect(watch.fault(now: now) == nil)
        }
        watch.note(100_000, waiting: 40_000, now: start + .seconds(659))
        #expect(watch.fault(now: start + .seconds(659)) == nil)
        watch.note(100_000, waiting: 40_000, now: start + .seconds(661))
        #expect(watch.fault(now: start + .seconds(661)) == .stalled)
    }

    @Test func `a check that comes late finds bytes waiting, and knows not since when`() {
        var watch = watch()
        watch.note(100_000, waiting: 100_000, now: start + .seconds(1))
        watch.note(100_000, waiting: 50_000, now: start + .seconds(90))
        #expect(watch.fault(now: start + .seconds(90)) == nil)
        watch.note(100_000, waiting: 50_000, now: start + .seconds(150))
        #expect(watch.fault(now: start + .seconds(150)) == .stalled)
    }

    @Test func `what is acknowledged just before the end of the stall time is progress, though each check comes late`()
    {
        var watch = watch()
        watch.note(100_000, waiting: 100_000, now: start)
        watch.note(100_000, waiting: 100_000, now: watch.deadline)
        let end = start + .seconds(67.5)
        while watch.deadline < end { watch.note(100_000, waiting: 100_000, now: watch.deadline + .milliseconds(1)) }
        watch.note(100_000, waiting: 0, now: end)
        #expect(watch.fault(now: end) == nil)
    }

    @Test func `without a limit an occasional byte is enough`() {
        #expect(firstFault(1, every: 59, minimum: 0) == nil)
        #expect(firstFault(1, every: 59, minimum: -1) == nil)
    }

    @Test func `extreme limits do not trap`() {
        let timeouts = HTTPTimeouts(stall: .seconds(10 * 365 * 86_400), minimumBytesPerSecond: .max)
        var watch = ProgressWatch(timeouts, now: start)
        watch.note(1, now: start + .seconds(1))
        #expect(watch.fault(now: start + .seconds(1)) == nil)
    }
}
