import RecorderCommands
import Testing

@Suite struct StopRequestTests {
    private let start = ContinuousClock.now

    @Test func `a signal that is repeated within half a second is one request, a later one ends the process at once`() {
        var requests = StopRequests()
        #expect(requests.take(at: start) == .first)
        for microseconds in [0, 3, 499_999] {
            #expect(requests.take(at: start + .microseconds(microseconds)) == .repetition)
        }
        #expect(requests.take(at: start + .milliseconds(500)) == .impatient)
    }

    @Test func `what arrives while a stop is being noted is a repetition, however long that takes`() {
        var requests = StopRequests()
        #expect(requests.take(at: start) == .first)
        requests.restart(at: start + .seconds(3))
        #expect(requests.take(at: start + .seconds(3)) == .repetition)
        #expect(requests.take(at: start + .seconds(4)) == .impatient)
    }
}
