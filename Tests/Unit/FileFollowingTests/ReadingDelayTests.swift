import Testing

@testable import FileFollowing

@Suite struct ReadingDelayTests {
    /// The delays of changes that come each so long after the one before was read, and bring so many bytes of one file.
    private func delays(_ changes: [(after: Duration, bytes: Int)]) -> [Duration] {
        var now = ContinuousClock.now
        var delay = ReadingDelay(at: now)
        return changes.map { after, bytes in
            let change = now + after
            let length = delay.length(at: change)
            now = change + length
            delay.read(changedAt: change, at: now)
            delay.note(bytes: bytes)
            return length
        }
    }

    @Test func `the first line waits a quarter of a second, and those that follow one at once a second`() {
        let lines = delays([(.seconds(9), 80), (.milliseconds(1), 80), (.milliseconds(999), 80), (.seconds(1), 80)])
        #expect(lines == [.milliseconds(250), .seconds(1), .seconds(1), .milliseconds(250)])
    }

    @Test func `lines of a file that grows fast wait a tenth of a second, also the first burst after an hour`() {
        let burst = delays([
            (.seconds(3_600), 100_000), (.milliseconds(1), 40_000), (.milliseconds(1), 40_000), (.milliseconds(1), 100),
            (.milliseconds(1), 100),
        ])
        #expect(burst == [250, 100, 100, 100, 1_000].map { .milliseconds($0) })
    }

    @Test func `a file that grows by less than 256 KiB a second is not read more often`() {
        #expect(delays([(.zero, 60_000), (.zero, 260_000), (.zero, 260_000)]).last == .seconds(1))
        #expect(delays([(.zero, 60_000), (.zero, 263_000), (.zero, 26_300)]).last == .milliseconds(100))
    }

    @Test func `many files that each grow slowly are read once a second`() {
        let now = ContinuousClock.now
        var delay = ReadingDelay(at: now)
        delay.read(changedAt: now, at: now + .seconds(1))
        for _ in 0..<200 { delay.note(bytes: 16_384) }
        #expect(delay.length(at: now + .seconds(1)) == .seconds(1))
    }
}
