import Foundation
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Many devices that come back at once and share a stream. `StreamRateLimiterTests` has the same in virtual time.
    @Suite struct Herd {
        @Test func `two hundred recorders that start within a second share four shards fairly`() async throws {
            guard isLongRun else { return }
            let (processes, recorders) = (4, 50)
            let backlog = isFull ? 12_000 : 2_000
            let directory = try TemporaryDirectory()
            let journal = directory.path("journal")
            let service = try ShardService(shards: 4)
            let children = try (0..<processes).map { number in
                try Child("herd", directory.path, service.url, journal, "p\(number)", "\(recorders)", "\(backlog)")
            }
            defer { for child in children { child.kill() } }
            while JournalReading(journal).notes.count < processes { try await Task.sleep(for: .milliseconds(100)) }
            let start = service.seconds
            try Data().write(to: URL(fileURLWithPath: "\(journal).start"))
            for child in children { #expect(await child.end() == .exit(0)) }

            let reading = JournalReading(journal)
            let done = reading.notes.compactMap { $0.hasPrefix("done ") ? Double($0.dropFirst(5)) : nil }.sorted()
            let slowest = (done.last ?? 0) / done[done.count / 2]
            let counts = service.counts
            let until = counts.entriesBySecond[(start + 3)..<max(start + 4, start + Int(done[done.count / 4]))]
            let goodput = Double(until.reduce(0, +)) / Double(until.count) / 4_000
            let missing = (0..<processes * recorders).reduce(0) { missing, number in
                missing + service.order.missing(of: "p\(number / recorders)-\(number % recorders)", count: backlog)
            }
            report(
                "R50 herd:",
                [
                    "recorders": processes * recorders, "records each": backlog, "missing": missing,
                    "goodput": goodput, "sent/accepted": counts.sentOverTaken, "quarter done": done[done.count / 4],
                    "median": done[done.count / 2], "slowest/median": slowest, "requests": counts.requests,
                    "failures": reading.failures.count,
                ]
            )
            #expect(done.count == processes * recorders && missing == 0)
            #expect(goodput >= 0.95)
            #expect(slowest <= 1.5)
            // The first requests, which are mostly throttled, are as many as the shards accept in 23 seconds.
            if isFull { #expect(counts.sentOverTaken <= 1.1) }
        }
    }
}
