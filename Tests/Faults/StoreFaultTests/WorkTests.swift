import Foundation
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Counts what a record costs besides time. The counts are the same on every machine; those of allocations are for
    /// a build without optimisation.
    @Suite struct Work {
        @Test func `an awaited save is one commit: its statements, syncs, writes and allocations are bounded`()
            async throws
        {
            guard let library = try PreloadedLibrary.workCount.get().path else {
                return print("work of saves skipped: no C compiler.")
            }
            let few = try await work(of: "save", 100, library)
            let many = try await work(of: "save", 1_100, library)
            let thousand = many - few
            report("work of 1,000 awaited saves:", thousand.figures)
            #expect(thousand.syncs <= 1_020, "one sync per save, and those of checkpoints")
            #expect(thousand.statements <= 7_100, "five, and the pages for which a full disk must have room")
            #expect(thousand.writes <= 1_100, "a commit is one write")
            #expect(thousand.bytes <= 9_000_000)
            #expect(thousand.reads <= 200)
            #expect(thousand.allocations <= 80_000)
        }

        @Test func `the work per delivered record is small, and does not depend on how much is stored`() async throws {
            guard let library = try PreloadedLibrary.workCount.get().path else {
                return print("work of a drain skipped: no C compiler.")
            }
            let few = try await work(of: "submit", 500, library)
            let some = try await work(of: "submit", 2_500, library)
            let many = try await work(of: "submit", 10_500, library)
            let thousand = (some - few) / 2
            let later = (many - some) / 8
            report("work of 1,000 delivered:", thousand.figures)
            report("work of 1,000 more:", later.figures)
            for cost in [thousand, later] {
                #expect(cost.syncs <= 5, "one commit per batch, and those of checkpoints")
                #expect(cost.statements <= 60)
                #expect(cost.writes <= 12, "one per batch, and those of the file's rewriting")
                #expect(cost.bytes <= 60_000)
                #expect(cost.reads <= 200)
                #expect(cost.allocations <= 35_000)
            }
        }

        /// The work of a child that saves `count` records, or submits `count` stored ones.
        private func work(of command: String, _ count: Int, _ library: String) async throws -> WorkCount {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let (store, output) = (directory.path("store"), directory.path("work"))
            if command == "submit" {
                let filler = String(repeating: "x", count: 100)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let full = try PipelineHarness(in: store, to: nil)
                    for number in 0..<count { group.addTask { try await full.save("\(number) \(filler)") } }
                    try await group.waitForAll()
                }
            }
            let child = try Child(
                under: ["env", "LD_PRELOAD=\(library)", "WORKCOUNT_OUTPUT=\(output)"],
                command,
                store,
                server.url,
                directory.path("journal"),
                "work",
                String(count)
            )
            #expect(await child.end() == .exit(0))
            #expect(JournalReading(directory.path("journal")).failures.isEmpty)
            if command == "submit" { #expect(server.texts.count == count) }
            return try WorkCount(output)
        }
    }
}

/// The counts of one process, see `Tests/Faults/WorkCount/workcount.c`.
private struct WorkCount {
    private let counts: [String: Int]

    var allocations: Int { counts["allocations", default: 0] }
    var statements: Int { counts["statements", default: 0] }
    var reads: Int { counts["reads", default: 0] }
    var writes: Int { counts["writes", default: 0] }
    var bytes: Int { counts["bytes", default: 0] }
    var syncs: Int { counts["syncs", default: 0] }

    var figures: KeyValuePairs<String, Any> {
        [
            "statements": statements, "syncs": syncs, "reads": reads, "writes": writes, "bytes": bytes,
            "allocations": allocations,
        ]
    }

    init(_ path: String) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        counts = Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let words = line.split(separator: " ")
                return (String(words[0]), Int(words[1]) ?? 0)
            }
        )
    }

    private init(_ counts: [String: Int]) { self.counts = counts }

    static func - (a: WorkCount, b: WorkCount) -> WorkCount {
        WorkCount(a.counts.merging(b.counts) { $0 - $1 })
    }

    static func / (a: WorkCount, divisor: Int) -> WorkCount {
        WorkCount(a.counts.mapValues { $0 / divisor })
    }
}
