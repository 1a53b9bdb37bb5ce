import Testing

@testable import FileFollowing

@Suite struct ReadingPaceTests {
    private let now = ContinuousClock.now

    /// How often it refuses until it pauses; what it pauses for then.
    private func refuse(_ pace: inout ReadingPace, isFull: Bool, at now: ContinuousClock.Instant) -> Duration? {
        _ = pace.refused(isFull: isFull, at: now)
        return pace.end.map { $0 - now }
    }

    @Test func `a full store is offered less and less, and then nothing for half a second each time`() {
        var pace = ReadingPace()
        for size in [32_768, 8_192, 2_048, 512] {
            #expect(refuse(&pace, isFull: true, at: now) == nil && pace.pieceSize == size && pace.mayRead(at: now))
        }
        for _ in 0..<3 { #expect(refuse(&pace, isFull: true, at: now) == .milliseconds(500)) }
        #expect(!pace.mayRead(at: now) && pace.mayRead(at: now + .milliseconds(500)) && pace.isCareful)
    }

    @Test func `a store that fails is left alone for ever longer, up to ten seconds`() {
        var pace = ReadingPace()
        let pauses = (0..<8).map { _ in refuse(&pace, isFull: false, at: now) }
        #expect(pauses == [0.5, 1, 2, 4, 8, 10, 10, 10].map { .seconds($0) })
    }

    @Test(arguments: [true, false]) func `a pause is told once, and its end`(isFull: Bool) {
        var pace = ReadingPace()
        var told: [Double] = []
        for tick in 0..<40 {
            let after = Double(tick) * 0.25
            if pace.refused(isFull: isFull, at: now + .seconds(after)) { told.append(after) }
        }
        // It is full after four smaller pieces, at 1 s.
        #expect(told == [isFull ? 4 : 0])
        // Each piece may be twice as large as the one before.
        let ends = (0..<9).map { _ in pace.stored(isAtEnd: false) }
        #expect(ends.firstIndex(of: true) == (isFull ? 7 : 0) && ends.count { $0 } == 1)
        #expect(!pace.isTold && !pace.isCareful)
    }
}
