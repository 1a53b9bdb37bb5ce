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

    @Test func `a run is unused once its last waiter has withdrawn`() {
        var machine = FlushStateMachine<String>()
        for waiter in ["a", "b"] { _ = machine.flushRequested(by: waiter) }
        let unknown = machine.withdraw { $0 == "x" }
        #expect(unknown.withdrawn.isEmpty && !unknown.isRunUnused)
        let next = machine.withdraw { $0 == "b" }
        #expect(next.withdrawn == ["b"] && !next.isRunUnused)
        let last = machine.withdraw { $0 == "a" }
        #expect(last.withdrawn == ["a"] && last.isRunUnused)
        let ended = machine.flushEnded()
        #expect(ended.served.isEmpty && !ended.startsAgain)
    }
}
