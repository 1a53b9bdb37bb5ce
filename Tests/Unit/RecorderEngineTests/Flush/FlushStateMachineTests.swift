import RecorderDelivery
import Testing

@Suite struct FlushStateMachineTests {
    @Test func `the first request starts a run, and requests during it share its next round`() throws {
        var machine = FlushStateMachine<String>()
        let requests = ["a", "b", "c"].map { machine.flushRequested(by: $0) }
        guard case .start(let first) = requests[0] else { throw Unexpected() }
        #expect(requests[1...] == [.wait, .wait])
        let next = machine.nextRound()
        let second = try #require(next)
        let none = machine.nextRound()
        #expect(none == nil)
        // Rounds end in any order.
        let servedFirst = machine.ended(second)
        #expect(servedFirst == ["b", "c"])
        let served = machine.ended(first)
        #expect(served == ["a"])
        let again = machine.flushEnded()
        #expect(again == nil)
    }

    @Test func `what was requested last in a run starts the next one`() throws {
        var machine = FlushStateMachine<String>()
        guard case .start(let first) = machine.flushRequested(by: "a") else { throw Unexpected() }
        _ = machine.ended(first)
        let request = machine.flushRequested(by: "b")
        #expect(request == .wait)
        let next = machine.flushEnded()
        let again = try #require(next)
        let served = machine.ended(again)
        #expect(served == ["b"])
        let afterwards = machine.flushRequested(by: "c")
        #expect(afterwards == .wait)
    }

    @Test func `a round is about all streams if any of its requests is`() throws {
        for scopes in [[StreamScheduler.Scope.due, .due], [.all, .due], [.due, .all]] {
            var machine = FlushStateMachine<Int>()
            _ = machine.flushRequested(by: 0, for: .due)
            for scope in scopes { _ = machine.flushRequested(by: 1, for: scope) }
            let next = machine.nextRound()
            let round = try #require(next)
            #expect(round.scope == (scopes.contains(.all) ? .all : .due))
        }
    }

    @Test func `a run is unused once its last waiter has withdrawn`() throws {
        var machine = FlushStateMachine<String>()
        guard case .start(let round) = machine.flushRequested(by: "a") else { throw Unexpected() }
        _ = machine.flushRequested(by: "b")
        let unknown = machine.withdraw { $0 == "x" }
        #expect(unknown.withdrawn.isEmpty && !unknown.isRunUnused)
        let next = machine.withdraw { $0 == "b" }
        #expect(next.withdrawn == ["b"] && !next.isRunUnused)
        let last = machine.withdraw { $0 == "a" }
        #expect(last.withdrawn == ["a"] && last.isRunUnused)
        let served = machine.ended(round)
        let again = machine.flushEnded()
        #expect(served.isEmpty && again == nil)
    }

    private struct Unexpected: Error {}
}
