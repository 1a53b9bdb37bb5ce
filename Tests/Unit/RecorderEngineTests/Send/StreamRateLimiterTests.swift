import RecorderDelivery
import RecorderStore
import RecorderTestSupport
import Testing

/// When the next request to a throttled stream is sent, and how much it holds.
@Suite struct StreamRateLimiterTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func entries(_ count: Int, bytes: Int = 100) -> StreamLoad {
        StreamLoad(entries: count, bytes: count * bytes)
    }

    /// A stream that accepted 1,000 entries in its first second, and throttled then: 1,000 of its bucket and none.
    private func limited(accepting load: StreamLoad = StreamLoad(entries: 1_000)) -> StreamRateLimiter {
        var limiter = StreamRateLimiter()
        _ = limiter.delay(before: load, at: start, random: 0.5)
        limiter.answered(accepted: load, throttled: entries(1), at: after(1))
        return limiter
    }

    private func seconds(_ limiter: StreamRateLimiter, before load: StreamLoad, at seconds: Double) -> Double {
        var limiter = limiter
        return limiter.delay(before: load, at: after(seconds), random: 0.5) / .seconds(1)
    }

    @Test func `nothing waits, and no request is limited, before an answer throttles`() {
        var limiter = StreamRateLimiter()
        for second in 0..<100 {
            #expect(limiter.delay(before: entries(500), at: after(Double(second) / 100), random: 1) == .zero)
            limiter.answered(accepted: entries(500), throttled: StreamLoad(), at: after(Double(second) / 100))
        }
        #expect(limiter.largestRequest(at: after(1)) == nil)
    }

    @Test func `the first rate is what was accepted, if the bucket was full at first`() {
        #expect(abs(seconds(limited(), before: entries(250), at: 1) - 0.5) < 1e-6)
    }

    @Test func `elapsed time shortens the wait, up to a second`() {
        for (now, wait) in [(1.1, 0.4), (1.4, 0.1), (1.5, 0.0), (2.0, 0.0)] {
            #expect(abs(seconds(limited(), before: entries(250), at: now) - wait) < 0.01)
        }
        let idle = seconds(limited(), before: entries(600), at: 4)
        #expect(abs(idle - 0.19) < 0.02, "\(idle)")
    }

    @Test func `a rate that was learned with large records holds for small ones, and the other way round`() {
        // Half a shard in both cases.
        let large = limited(accepting: StreamLoad(entries: 10, bytes: 1_048_576))
        #expect(abs(seconds(large, before: entries(250), at: 1) - 0.5) < 1e-6)
        #expect(abs(seconds(limited(), before: StreamLoad(entries: 10, bytes: 262_144), at: 1) - 0.5) < 1e-6)
    }

    @Test func `a request holds what the stream accepts in a second, but never less than 20 entries or 20 KiB`() {
        #expect(limited().largestRequest(at: after(1)) == StreamLoad(entries: 500, bytes: 524_288))
        let slow = limited(accepting: entries(1))
        #expect(slow.largestRequest(at: after(1)) == StreamLoad(entries: 20, bytes: 20_971))
    }

    @Test func `no wait is longer than twenty seconds, whatever was accepted`() {
        var limiter = limited(accepting: entries(1))
        for second in 2..<60 {
            limiter.answered(accepted: StreamLoad(), throttled: entries(500), at: after(Double(second)))
        }
        #expect(seconds(limiter, before: entries(500), at: 60) == 20)
        #expect(seconds(limiter, before: StreamLoad(entries: .max, bytes: .max), at: 60) == 20)
    }

    @Test func `answers of requests that were in flight together slow a stream down once`() {
        var limiter = limited()
        for _ in 0..<7 { limiter.answered(accepted: StreamLoad(), throttled: entries(500), at: after(1.2)) }
        #expect(abs(seconds(limiter, before: entries(250), at: 1.2) - 0.5) < 0.001)
    }

    @Test func `two devices on one shard wait differently, by at most a tenth`() {
        for (random, wait) in [(0, 0.45), (0.5, 0.5), (1, 0.55)] {
            var limiter = limited()
            let delay = limiter.delay(before: entries(250), at: after(1), random: random)
            #expect(abs(delay / .seconds(1) - wait) < 1e-6)
        }
    }

    /// Three of four shards accept everything, the fourth nothing.
    @Test func `a shard that stays full does not slow down the others`() {
        var limiter = StreamRateLimiter()
        var second = 0.0
        _ = limiter.delay(before: entries(500), at: start, random: 0.5)
        for _ in 0..<50 {
            limiter.answered(accepted: entries(375), throttled: entries(125), at: after(second))
            for delay in [1.0, 2, 4] {
                second += delay
                limiter.answered(accepted: StreamLoad(), throttled: entries(125), isRetry: true, at: after(second))
            }
            #expect(limiter.largestRequest(at: after(second)).map { $0.entries >= 500 } == true)
            let wait = limiter.delay(before: entries(500), at: after(second), random: 0.5)
            #expect(wait < .seconds(2))
            second += wait / .seconds(1)
        }
        limiter.answered(accepted: entries(10), throttled: entries(115), isRetry: true, at: after(second + 1))
        #expect(limiter.largestRequest(at: after(second + 1)).map { $0.entries < 500 } == true)
    }

    @Test(arguments: [1_000, 200, 50, 1])
    func `the waits end once a shard has capacity, within a minute`(accepted: Int) {
        var limiter = limited(accepting: entries(accepted))
        var now = after(1)
        while now < after(61) {
            now += limiter.delay(before: entries(20), at: now, random: 0.5) + .milliseconds(20)
            limiter.answered(accepted: entries(20), throttled: StreamLoad(), at: now)
        }
        #expect(limiter.delay(before: entries(500), at: now, random: 0.5) < .milliseconds(500))
    }

    // MARK: - against emulated shards

    /// One device: entries of 200 bytes, of which a shard takes 1,000 a second, or of 50 KiB, of which it takes 20.
    @Test(arguments: [(200, 500), (51_200, 10)], [UInt64(1), 2, 3])
    func `one device gets all of a shard, and little is sent twice`(entry: (bytes: Int, batch: Int), seed: UInt64) {
        let perSecond = min(1_000, 1_048_576 / Double(entry.bytes))
        var setup = HerdModel.Setup(
            backlog: Int(perSecond * 60),
            entryBytes: entry.bytes,
            batch: entry.batch,
            seed: seed
        )
        let result = HerdModel.run(setup)
        // A shard starts with the entries of one second.
        #expect(result.done[0] <= 59 / 0.98)
        #expect(result.sentOverTaken <= 1.02)
        setup.fixedDelay = 0
        #expect(HerdModel.run(setup).sentOverTaken > 5)
    }

    @Test func `one device gets all of several shards`() {
        let result = HerdModel.run(HerdModel.Setup(shards: 4, backlog: 240_000))
        #expect(result.done[0] <= 59 / 0.96)
        #expect(result.sentOverTaken <= 1.02)
    }

    /// Once each has sent one full request that is mostly throttled.
    @Test func `two hundred devices that start together share four shards fairly, and do not flood them`() {
        var setup = HerdModel.Setup(devices: 200, shards: 4, backlog: 1_500)
        let result = HerdModel.run(setup)
        #expect(result.rate(from: 3) >= 0.95 * 4_000)
        #expect(result.sentOverTaken(from: 3) <= 1.1)
        // A longer backlog makes it fairer: 1.2 with 5,000 entries.
        #expect(result.slowestOverMedian <= 1.75)
        setup.backlog = 200
        setup.fixedDelay = 0.1
        let control = HerdModel.run(setup)
        #expect(control.sentOverTaken(from: 3) > 4)
    }
    /// Another producer takes no notice, say. To send less would not help.
    @Test(arguments: [(0.05, 200.0), (0.1, 200), (0.3, 100)], [UInt64(1), 2, 3])
    func `a stream that throttles a share of the records at any rate is still used`(
        throttled: (share: Double, leastRate: Double),
        seed: UInt64
    ) {
        let setup = HerdModel.Setup(shards: 100, backlog: 20_000, seed: seed, throttledShare: throttled.share)
        let result = HerdModel.run(setup)
        #expect(20_000 / result.done[0] >= throttled.leastRate)
        #expect(result.sentOverTaken <= 1.01 / (1 - throttled.share))
    }
}
