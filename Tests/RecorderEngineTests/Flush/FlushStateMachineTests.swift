import RecorderEngine
import Testing

@Suite struct FlushStateMachineTests {
    @Test func `the first request starts a run, and requests during it share the next one`() {
        var machine = FlushStateMachine<String>()
        let requests = ["a", "b", "c"].map { machine.flushRequested(by: $0) }
        #expect(requests == [.start, .wait, .wait])
        let first = machine.flushEnded()
        #expect(first.served == ["a"] && first.startsAgain)
        let during = machine.flushRequested(by: "d")
        #expect(during == .wait)
        let second = machine.flushEnded()
        #expect(second.served == ["b", "c"] && second.startsAgain)
        let third = machine.flushEnded()
        #expect(third.served == ["d"] && !third.startsAgain)
        let afterwards = machine.flushRequested(by: "e")
        #expect(afterwards == .start)
    }
}
