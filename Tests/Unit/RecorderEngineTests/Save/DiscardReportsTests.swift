import RecorderConcurrency
import RecorderEngine
import RecorderStore
import Testing

/// How often discarded records are reported, by a clock that the test turns.
@Suite final class DiscardReportsTests: Sendable {
    private let waits = Locked<[@Sendable () -> Void]>([])
    private let told = Locked<[Int]>([])

    private func reports() -> DiscardReports {
        DiscardReports(
            wait: { _, action in self.waits.withLock { $0.append(action) } },
            report: { discard in self.told.withLock { $0.append(discard.count) } }
        )
    }

    private func endWait() throws {
        let first = waits.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let action = try #require(first)
        action()
    }

    private func discard(_ count: Int, _ reason: Discard.Reason = .byteLimit) -> Discard {
        Discard(reason: reason, count: count, bytes: count, streams: [])
    }

    @Test func `the first discard is reported at once, and later ones together, with their sum`() throws {
        let reports = reports()
        for count in [1, 10, 100] { reports.add(discard(count)) }
        #expect(told.withLock { $0 } == [1])
        try endWait()
        #expect(told.withLock { $0 } == [1, 110])
        reports.add(discard(1_000))
        try endWait()
        #expect(told.withLock { $0 } == [1, 110, 1_000])
    }

    @Test func `after a time without discards, the next one is reported at once`() throws {
        let reports = reports()
        reports.add(discard(1))
        try endWait()
        #expect(waits.withLock { $0.isEmpty })
        reports.add(discard(2))
        #expect(told.withLock { $0 } == [1, 2])
    }

    @Test func `each reason has its own sum, and at the end what waits is reported`() throws {
        let reports = reports()
        reports.add(discard(1))
        for reason in [Discard.Reason.byteLimit, .ageLimit, .byteLimit] { reports.add(discard(10, reason)) }
        reports.finish()
        reports.finish()
        #expect(told.withLock { $0 } == [1, 20, 10])
    }
}
