import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

extension FaultRows {
    /// Cuts the power at random moments of a run; a new process opens what the disk may hold then.
    @Suite struct PowerCut {
        /// The results of all cuts of one run.
        private struct Figures {
            var cuts = 0
            var undelivered = 0
            var lost = 0
            var cutsWithLoss = 0
            var altered = 0
            var sentAgain = 0
            var unusable = 0
            var rescues = 0
            var details: [String] = []
        }

        @Test func `a power cut loses and alters no acknowledged record, and repeats eight answers`() async throws {
            guard let shim = try PreloadedLibrary.powerLog.get().path else {
                return print("R4 skipped: no C compiler.")
            }
            var random = SeededRandom(seed + 40)
            let figures = try await cut(count(20, full: 400), shim, &random)
            report(
                "R4 power cuts:",
                [
                    "cuts": figures.cuts, "undelivered": figures.undelivered, "lost": figures.lost,
                    "altered": figures.altered,
                    "settled sent again": figures.sentAgain, "rescues": figures.rescues, "unusable": figures.unusable,
                ]
            )
            #expect(figures.lost == 0, "\(figures.details)")
            #expect(figures.altered == 0, "\(figures.details)")
            #expect(figures.sentAgain == 0, "\(figures.details)")
            #expect(figures.unusable == 0, "\(figures.details)")
            #expect(figures.rescues == 0, "\(figures.details)")
            #expect(figures.undelivered > 0)
        }

        @Test func `control: with synchronous=NORMAL, power cuts lose acknowledged records`() async throws {
            guard let shim = try PreloadedLibrary.powerLog.get().path else {
                return print("R4 control skipped: no C compiler.")
            }
            var random = SeededRandom(seed + 41)
            let figures = try await cut(count(12, full: 400), synchronous: "NORMAL", shim, &random)
            report(
                "R4 control NORMAL:",
                [
                    "cuts": figures.cuts, "undelivered": figures.undelivered, "lost": figures.lost,
                    "cuts with a loss": figures.cutsWithLoss,
                ]
            )
            #expect(figures.lost > 0)
        }

        @Test func `a power cut loses and alters no acknowledged record after syncs that failed`() async throws {
            guard let shim = try PreloadedLibrary.powerLog.get().path else {
                return print("R4 with failing syncs skipped: no C compiler.")
            }
            var random = SeededRandom(seed + 42)
            let figures = try await cut(count(20, full: 400), failing: 4, shim, &random)
            report(
                "R4 failing syncs:",
                [
                    "cuts": figures.cuts, "undelivered": figures.undelivered, "lost": figures.lost,
                    "altered": figures.altered, "rescues": figures.rescues, "unusable": figures.unusable,
                ]
            )
            #expect(figures.lost == 0, "\(figures.details)")
            #expect(figures.altered == 0, "\(figures.details)")
            #expect(figures.unusable == 0, "\(figures.details)")
            #expect(figures.rescues == 0, "\(figures.details)")
            #expect(figures.undelivered > 0)
        }

        /// Logs one run, in which one of `failing` syncs fails, and cuts it at `count` moments and at its end.
        private func cut(
            _ count: Int,
            synchronous: String? = nil,
            failing: Int? = nil,
            _ shim: String,
            _ random: inout SeededRandom
        ) async throws -> Figures {
            let directory = try TemporaryDirectory()
            let (root, journal, output) = (directory.path("disk"), directory.path("journal"), directory.path("log"))
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
            let server = try RecordingServer(faultSeed: seed)
            var environment = [
                "env", "LD_PRELOAD=\(shim)", "POWERLOG_DIRECTORY=\(root)", "POWERLOG_JOURNAL=\(journal)",
                "POWERLOG_OUTPUT=\(output)",
            ]
            if let synchronous { environment.append("POWERLOG_SYNC=\(synchronous)") }
            if let failing { environment.append("POWERLOG_FAILING=\(failing)") }
            let child = try Child(under: environment, "power", "\(root)/state/store", server.url, journal, "p")
            #expect(await child.end() == .exit(0))
            let reading = JournalReading(journal)
            #expect(reading.failures.isEmpty == (failing == nil))
            let events = try PowerLog(output).events
            // A save that fails may be stored; its text is noted.
            let everything = Set(reading.acknowledged + (failing == nil ? [] : reading.notes))
            try #require(events.count > 1_000)

            // A fifth of the cuts hit the first steps of a new store, which are few and as important as later ones; and as many
            // come soon after an answer, or the end of a submit.
            func moments(_ sign: Character) -> [Int] {
                events.indices.filter {
                    if case .journaled(let lines) = events[$0] { lines.first == sign.asciiValue } else { false }
                }
            }
            let (answers, ends) = (moments("*"), moments("~"))
            let positions = (0..<count).map { number in
                switch number % 5 {
                case 0: Int.random(in: 0..<120, using: &random)
                case 1: answers[Int.random(in: answers.indices, using: &random)] + 1
                case 2: ends[Int.random(in: ends.indices, using: &random)] + 1
                // Where checkpoints fail beside a reader.
                case 3 where failing != nil: Int.random(in: events.count * 4 / 5..<events.count, using: &random)
                default: Int.random(in: 0..<events.count, using: &random)
                }
            }
            var figures = Figures()
            var disk = CutDisk(root: root)
            var journalState = JournalState()
            var next = 0
            for position in positions.sorted() + [events.count] {
                for event in events[next..<position] {
                    disk.apply(event)
                    if case .journaled(let lines) = event { journalState.add(lines) }
                }
                next = position
                try await open(disk, root, at: position, journalState, everything, &random, &figures)
            }
            return figures
        }

        /// Runs a new process that saves and submits with what one cut left.
        private func open(
            _ disk: CutDisk,
            _ root: String,
            at position: Int,
            _ journalState: JournalState,
            _ everything: Set<String>,
            _ random: inout SeededRandom,
            _ figures: inout Figures
        ) async throws {
            let directory = try TemporaryDirectory()
            try disk.write(to: directory.path("disk"), root: root, &random)
            let server = try RecordingServer()
            let (path, journal) = (directory.path("disk/state/store"), directory.path("journal"))
            let child = try Child("restart", path, server.url, journal, "new")
            let end = await child.end()
            let reading = JournalReading(journal)
            let arrived = Set(server.texts.keys)
            let lost = journalState.undelivered.subtracting(arrived)
            let again = journalState.settled.union(journalState.answeredBefore).intersection(arrived)
            let altered = arrived.subtracting(everything).subtracting(["new"])
            let isUsable = end == .exit(0) && reading.failures.isEmpty && arrived.contains("new")
            figures.cuts += 1
            figures.undelivered += journalState.undelivered.count
            figures.lost += lost.count
            figures.cutsWithLoss += lost.isEmpty ? 0 : 1
            figures.altered += altered.count
            figures.sentAgain += again.count
            figures.unusable += isUsable ? 0 : 1
            figures.rescues += reading.notes.contains { $0.hasPrefix("rescued") } ? 1 : 0
            if !lost.isEmpty || !again.isEmpty || !altered.isEmpty || !isUsable {
                let lostNames = lost.map { $0.prefix(20) }.sorted().prefix(3)
                figures.details.append(
                    "event \(position): lost \(lost.count) \(lostNames) \(reading.failures) \(reading.notes)"
                )
            }
        }
    }
}
