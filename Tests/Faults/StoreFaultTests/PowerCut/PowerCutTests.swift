import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

extension FaultRows {
    /// Power is cut at random instants of a store's life; what a disk may hold then is opened by a new process.
    @Suite struct PowerCut {
        /// What all cuts of one life came to.
        private struct Figures {
            var cuts = 0
            var owed = 0
            var lost = 0
            var cutsWithLoss = 0
            var altered = 0
            var sentAgain = 0
            var unusable = 0
            var rescues = 0
            var told: [String] = []
        }

        @Test func `a power cut takes nothing acknowledged, alters nothing, and repeats nothing settled`() async throws
        {
            guard let shim = try PreloadedLibrary.powerLog.get().path else {
                return print("R4 skipped: no C compiler.")
            }
            var random = SeededRandom(seed + 40)
            let figures = try await cut(count(20, full: 400), synchronous: nil, shim, &random)
            report(
                "R4 power cuts:",
                [
                    "cuts": figures.cuts, "owed": figures.owed, "lost": figures.lost, "altered": figures.altered,
                    "settled sent again": figures.sentAgain, "rescues": figures.rescues, "unusable": figures.unusable,
                ]
            )
            #expect(figures.lost == 0, "\(figures.told)")
            #expect(figures.altered == 0, "\(figures.told)")
            #expect(figures.sentAgain == 0, "\(figures.told)")
            #expect(figures.unusable == 0, "\(figures.told)")
            #expect(figures.rescues == 0, "\(figures.told)")
            #expect(figures.owed > 0)
        }

        @Test func `control: with synchronous=NORMAL power cuts take acknowledged records`() async throws {
            guard let shim = try PreloadedLibrary.powerLog.get().path else {
                return print("R4 control skipped: no C compiler.")
            }
            var random = SeededRandom(seed + 41)
            let figures = try await cut(count(12, full: 400), synchronous: "NORMAL", shim, &random)
            report(
                "R4 control NORMAL:",
                [
                    "cuts": figures.cuts, "owed": figures.owed, "lost": figures.lost,
                    "cuts with a loss": figures.cutsWithLoss,
                ]
            )
            #expect(figures.lost > 0)
        }

        /// One life under the log, and so many cuts of it.
        private func cut(
            _ count: Int,
            synchronous: String?,
            _ shim: String,
            _ random: inout SeededRandom
        ) async throws -> Figures {
            let life = try TemporaryDirectory()
            let (root, journal, output) = (life.path("disk"), life.path("journal"), life.path("log"))
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
            let server = try RecordingServer(moodySeed: seed)
            var environment = [
                "env", "LD_PRELOAD=\(shim)", "POWERLOG_DIRECTORY=\(root)", "POWERLOG_JOURNAL=\(journal)",
                "POWERLOG_OUTPUT=\(output)",
            ]
            if let synchronous { environment.append("POWERLOG_SYNC=\(synchronous)") }
            let child = try Child(under: environment, "power", "\(root)/state/store", server.url, journal, "p")
            #expect(await child.end() == .exit(0))
            #expect(JournalReading(journal).failures == [])
            let events = try PowerLog(output).events
            let everything = Set(JournalReading(journal).acknowledged)
            try #require(events.count > 1_000)

            // The first steps of a new store are few and matter as much as any later ones.
            let places = (0..<count).map { number in
                Int.random(in: 0..<(number % 5 == 0 ? 120 : events.count), using: &random)
            }
            var figures = Figures()
            var disk = CutDisk(root: root)
            var promises = Promises()
            var next = 0
            for place in places.sorted() {
                for event in events[next..<place] {
                    disk.apply(event)
                    if case .promised(let lines) = event { promises.add(lines) }
                }
                next = place
                try await open(disk, root, at: place, promises, everything, &random, &figures)
            }
            return figures
        }

        /// Lets a new process save and submit with what one cut left.
        private func open(
            _ disk: CutDisk,
            _ root: String,
            at place: Int,
            _ promises: Promises,
            _ everything: Set<String>,
            _ random: inout SeededRandom,
            _ figures: inout Figures
        ) async throws {
            let directory = try TemporaryDirectory()
            try disk.write(to: directory.path("disk"), root: root, &random)
            let server = try RecordingServer()
            let (path, journal) = (directory.path("disk/state/store"), directory.path("journal"))
            let child = try Child("mend", path, server.url, journal, "new")
            let end = await child.end()
            let reading = JournalReading(journal)
            let arrived = Set(server.texts.keys)
            let lost = promises.owed.subtracting(arrived)
            let again = promises.settled.intersection(arrived)
            let altered = arrived.subtracting(everything).subtracting(["new"])
            let isUsable = end == .exit(0) && reading.failures.isEmpty && arrived.contains("new")
            figures.cuts += 1
            figures.owed += promises.owed.count
            figures.lost += lost.count
            figures.cutsWithLoss += lost.isEmpty ? 0 : 1
            figures.altered += altered.count
            figures.sentAgain += again.count
            figures.unusable += isUsable ? 0 : 1
            figures.rescues += reading.notes.contains { $0.hasPrefix("rescued") } ? 1 : 0
            if !lost.isEmpty || !again.isEmpty || !altered.isEmpty || !isUsable {
                let lostNames = lost.map { $0.prefix(20) }.sorted().prefix(3)
                figures.told.append(
                    "event \(place): lost \(lost.count) \(lostNames) \(reading.failures) \(reading.notes)"
                )
            }
        }
    }
}
