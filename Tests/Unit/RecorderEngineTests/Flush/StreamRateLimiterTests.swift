import RecorderEngine
import RecorderTestSupport
import Testing

/// When the next batch of a stream that throttles is sent.
@Suite struct StreamPaceTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// A stream of which 250 records were taken in half a second, between two answers that throttled others.
    private func paced() -> StreamRateLimiter {
        var limiter = StreamRateLimiter()
        limiter.answered(accepted: 100, isThrottled: true, at: start)
        limiter.answered(accepted: 150, isThrottled: false, at: after(0.2))
        limiter.answered(accepted: 100, isThrottled: true, at: after(0.5))
        return limiter
    }

    @Test func `nothing waits until answers have throttled twice`() {
        var limiter = StreamRateLimiter()
        #expect(limiter.delay(before: 500, at: start) == .zero)
        limiter.answered(accepted: 500, isThrottled: false, at: after(0.1))
        #expect(limiter.delay(before: 500, at: after(0.1)) == .zero)
        limiter.answered(accepted: 300, isThrottled: true, at: after(0.2))
        #expect(limiter.delay(before: 500, at: after(0.2)) == .zero)
    }

    @Test func `a batch waits for its records at the rate at which they were taken between throttled answers`() {
        var limiter = paced()
        #expect(limiter.delay(before: 250, at: after(0.5)) == .milliseconds(500))
    }

    @Test func `time that passed meanwhile counts, half a second of it even while nothing was sent`() {
        for (now, wait) in [(0.6, 0.4), (0.9, 0.1), (1.0, 0.0), (60.0, 0.0)] {
            var limiter = paced()
            #expect(abs(limiter.delay(before: 250, at: after(now)) / .seconds(1) - wait) < 1e-6)
        }
        var limiter = paced()
        #expect(limiter.delay(before: 400, at: after(60)) == .milliseconds(300))
    }

    @Test func `while nothing is throttled each batch waits a tenth less`() {
        var limiter = paced()
        var now = after(0.5)
        var wait = 0.5
        for _ in 0..<50 {
            let next = limiter.delay(before: 250, at: now)
            #expect(abs(next / .seconds(1) - wait) < 1e-6)
            now += next
            limiter.answered(accepted: 250, isThrottled: false, at: now)
            wait /= 1.1
        }
        #expect(wait < 0.005)
    }

    @Test func `no wait is longer than a second, whatever was taken`() {
        var limiter = StreamRateLimiter()
        limiter.answered(accepted: 1, isThrottled: true, at: start)
        limiter.answered(accepted: 1, isThrottled: true, at: after(20))
        #expect(limiter.delay(before: 500, at: after(20)) == .seconds(1))
    }

    @Test func `answers that took nothing, or came together, tell no rate`() {
        var limiter = StreamRateLimiter()
        limiter.answered(accepted: 1, isThrottled: true, at: start)
        limiter.answered(accepted: 7, isThrottled: true, at: start)
        limiter.answered(accepted: 0, isThrottled: true, at: after(1))
        #expect(limiter.delay(before: 500, at: after(1)) == .zero)
    }

    /// Time and chance are made up, so a run takes no time and is the same each time.
    @Test(arguments: [500.0, 1_000, 2_500, 10_000], [UInt64(1), 2, 3])
    func `a throttled backlog goes at the shard's rate, and little of it is sent twice`(rate: Double, seed: UInt64) {
        let records = Int(60 * rate)
        let paced = ShardModel(rate: rate, seed: seed).drain(records, by: StreamRateLimiter())
        let unpaced = ShardModel(rate: rate, seed: seed).drain(records, by: nil)
        // A shard starts with a second's worth.
        let ideal = Double(records) / rate - 1
        #expect(Double(paced.sent) <= Double(records) * 1.15)
        #expect(paced.seconds <= ideal * 1.1)
        #expect(paced.sent <= unpaced.sent + records / 50 && paced.seconds <= unpaced.seconds * 1.05)
    }

    /// The longest row: so slow a stream was throttled by something that has passed.
    @Test(arguments: [(500, 12.0), (50, 36.0), (5, 60.0)])
    func `the waits end once a shard has room`(rate: Int, seconds: Double) {
        var limiter = StreamRateLimiter()
        limiter.answered(accepted: 1, isThrottled: true, at: start)
        limiter.answered(accepted: rate, isThrottled: true, at: after(1))
        var now = after(1)
        for _ in 0..<200 {
            now += limiter.delay(before: 500, at: now)
            limiter.answered(accepted: 500, isThrottled: false, at: now)
        }
        #expect(now - after(1) < .seconds(seconds))
        #expect(limiter.delay(before: 500, at: now) < .milliseconds(1))
    }
}

/// A shard that is sent a backlog, batch by batch, what it throttles again after the delays of a retry.
private struct ShardModel {
    let rate: Double
    private var allowance: Double
    private var seconds = 0.0
    private var sent = 0
    private var random: SeededRandom

    init(rate: Double, seed: UInt64) {
        self.rate = rate
        allowance = rate
        random = SeededRandom(seed)
    }

    /// Sends so many records in batches of 500; a batch is tried until it is taken.
    func drain(_ records: Int, by limiter: StreamRateLimiter?) -> (sent: Int, seconds: Double) {
        var model = self
        let start = ContinuousClock.now
        var limiter = limiter
        var left = records
        while left > 0 {
            var batch = min(left, 500)
            left -= batch
            let wait = limiter?.delay(before: batch, at: start + .seconds(model.seconds)) ?? .zero
            model.pass(wait / .seconds(1))
            for retry in 0... {
                let taken = model.put(batch)
                batch -= taken
                limiter?.answered(accepted: taken, isThrottled: batch > 0, at: start + .seconds(model.seconds))
                guard batch > 0 else { break }
                model.pass(Double.random(in: 0...1, using: &model.random) * Double(1 << min(retry, 4)))
            }
        }
        return (model.sent, model.seconds)
    }

    private mutating func pass(_ time: Double) {
        seconds += time
        allowance = min(rate, allowance + rate * time)
    }

    private mutating func put(_ records: Int) -> Int {
        pass(0.005)
        sent += records
        let taken = min(records, Int(allowance))
        allowance -= Double(taken)
        return taken
    }
}
