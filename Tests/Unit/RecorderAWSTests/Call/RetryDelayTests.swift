import RecorderAWS
import Testing

@Suite struct RetryDelayTests {
    @Test(arguments: [(0, 50), (1, 100), (2, 200), (5, 1600), (8, 12_800), (9, 20_000), (1000, 20_000)])
    func `transient delays double from 50 ms to 20 s`(retry: Int, milliseconds: Int) {
        #expect(RetryDelay.transient.delay(beforeRetry: retry, random: 1) == .milliseconds(milliseconds))
        #expect(RetryDelay.transient.delay(beforeRetry: retry, random: 0.5) == .milliseconds(milliseconds) / 2)
        #expect(RetryDelay.transient.delay(beforeRetry: retry, random: 0) == .zero)
    }

    @Test(arguments: [(0, 1), (1, 2), (4, 16), (5, 20)])
    func `throttling delays double from 1 s to 20 s`(retry: Int, seconds: Int) {
        #expect(RetryDelay.throttling.delay(beforeRetry: retry, random: 1) == .seconds(seconds))
    }

    @Test(arguments: [Double.nan, .infinity, -1])
    func `a random number outside 0 to 1 does not exceed the longest delay`(random: Double) {
        let delay = RetryDelay.transient.delay(beforeRetry: 0, random: random)
        #expect(delay >= .zero && delay <= .milliseconds(50))
    }

    @Test func `a hint counts from the delay to five seconds more`() {
        func delay(_ hint: Duration) -> Duration { RetryDelay.throttling.delay(beforeRetry: 1, random: 1, hint: hint) }
        #expect(delay(.milliseconds(10)) == .seconds(2))
        #expect(delay(.seconds(4)) == .seconds(4))
        #expect(delay(.seconds(600)) == .seconds(7))
    }

    @Test func `a full quota pays 35 transient retries, or 100 throttled ones`() {
        let transient = RetryQuota()
        #expect((0..<40).filter { _ in transient.pay(for: .transient) }.count == 35)
        #expect(transient.available == 10)
        let throttled = RetryQuota()
        #expect((0..<200).filter { _ in throttled.pay(for: .throttling) }.count == 100)
        #expect(throttled.available == 0)
    }

    @Test func `a success refunds the cost of its last retry, else one token, up to the capacity`() {
        let quota = RetryQuota()
        quota.refund(nil)
        #expect(quota.available == 500)
        #expect(quota.pay(for: .transient) && quota.pay(for: .transient))
        quota.refund(.transient)
        #expect(quota.available == 486)
        quota.refund(nil)
        #expect(quota.available == 487)
        quota.refund(.throttling)
        #expect(quota.available == 492)
    }
}
