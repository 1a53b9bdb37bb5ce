import RecorderEngine
import RecorderTestSupport
import Testing

/// When the next batch of a throttled stream is sent.
@Suite struct StreamRateLimiterTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// A stream that accepted 250 records in half a second, between two throttled answers.
    private func limited() -> StreamRateLimiter {
        var limiter = StreamRateLimiter()
        limiter.answered(accepted: 100, isThrottled: true, at: start)
        limiter.answered(accepted: 150, isThrottled: false, at: after(0.2))
        limiter.answered(accepted: 100, isThrottled: true, at: after(0.5))
        return limiter
    }

    @Test func `no batch waits before the second throttled answer`() {
        var limiter = StreamRateLimiter()
        #expect(limiter.delay(before: 500, at: start) == .zero)
        limiter.answered(accepted: 500, isThrottled: false, at: after(0.1))
        #expect(limiter.delay(before: 500, at: after(0.1)) == .zero)
        limiter.answered(accepted: 300, isThrottled: true, at: after(0.2))
        #expect(limiter.delay(before: 500, at: after(0.2)) == .zero)
    }

    @Test func `a batch waits according to the rate of accepted records between throttled answers`() {
        var limiter = limited()
        #expect(limiter.delay(before: 250, at: after(0.5)) == .milliseconds(500))
    }

    @Test func `elapsed time shortens the wait, up to half a second while nothing was sent`() {
        for (now, wait) in [(0.6, 0.4), (0.9, 0.1), (1.0, 0.0), (60.0, 0.0)] {
            var limiter = limited()
            #expect(abs(limiter.delay(before: 250, at: after(now)) / .seconds(1) - wait) < 1e-6)
        }
        var limiter = limited()
        #expect(limiter.delay(before: 400, at: after(60)) == .milliseconds(300))
    }

    @Test func `without throttling each batch waits a tenth less`() {
        var limiter = limited()
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

    @Test func `no wait is longer than a second, whatever was accepted`() {
        var limiter = StreamRateLimiter()
        limiter.answered(accepted: 1, isThrottled: true, at: start)
        limiter.answered(accepted: 1, isThrottled: true, at: after(20))
        #expect(limiter.delay(before: 500, at: after(20)) == .seconds(1))
    }

    @Test func `answers that accepted nothing, or arrived at the same time, set no rate`() {
        var limiter = StreamRateLimiter()
        limiter.answered(accepted: 1, isThrottled: true, at: start)
        limiter.answered(accepted: 7, isThrottled: true, at: start)
        limiter.answered(accepted: 0, isThrottled: true, at: after(1))
        #expect(limiter.delay(before: 500, at: after(1)) == .zero)
    }

    /// Time and randomness are simulated, so a run takes no time and is repeatable.
    @Test(arguments: [500.0, 1_000, 2_500, 10_000], [UInt64(1), 2, 3])
    func `a throttled backlog drains at the shard's rate, and little of it is sent twice`(rate: Double, seed: UInt64) {
        let records = Int(60 * rate)
        let limited = ShardModel(rate: rate, seed: seed).drain(records, by: StreamRateLimiter())
        let unlimited = ShardModel(rate: rate, seed: seed).drain(records, by: nil)
        // A shard starts with the records of one second.
        let ideal = Double(records) / rate - 1
        #expect(Double(limited.sent) <= Double(records) * 1.15)
        #expect(limited.seconds <= ideal * 1.1)
        #expect(limited.sent <= unlimited.sent + records / 50 && limited.seconds <= unlimited.seconds * 1.05)
    }

    /// The slowest stream waits longest: its throttling had a cause that has passed.
    @Test(arguments: [(500, 12.0), (50, 36.0), (5, 60.0)])
    func `the waits end once a shard has capacity`(rate: Int, seconds: Double) {
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

/// A shard that gets a backlog batch by batch, and throttled records again after the delays of their retries.
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

    /// Sends this many records in batches of 500; each batch is sent until it is accepted.
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
                let accepted = model.put(batch)
                batch -= accepted
                limiter?.answered(accepted: accepted, isThrottled: batch > 0, at: start + .seconds(model.seconds))
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
        let accepted = min(records, Int(allowance))
        allowance -= Double(accepted)
        return accepted
    }
}
