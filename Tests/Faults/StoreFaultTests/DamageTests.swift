import Foundation
import RecorderSQLite
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    @Suite struct Damage {
        enum Kind: CaseIterable { case flips, zeroedPage, garbage, truncation }

        /// A store's files as bytes, and the log's length after each save.
        struct Fixture {
            var database: Data
            var log: Data
            /// The texts of the records that wait.
            var texts: [String] = []
            var logEnds: [Int] = []

            /// Records of two streams; all of them are in the log, or in the database after a checkpoint.
            init(records: Int, isInLog: Bool) async throws {
                let directory = try TemporaryDirectory()
                let path = directory.path("store/kinesis.db")
                let store = try PipelineHarness(in: directory.path("store"), to: nil)
                for number in 0..<records {
                    let text = "\(number) " + String(repeating: "x", count: 100 + number * 37 % 1_500)
                    try await store.save(text, to: number % 3 == 0 ? "a" : "b")
                    texts.append(text)
                    let size = try FileManager.default.attributesOfItem(atPath: "\(path)-wal")[.size] as? Int
                    logEnds.append(size ?? 0)
                }
                if !isInLog {
                    try SQLiteConnection.emptyLog(of: path)
                }
                database = try Data(contentsOf: URL(fileURLWithPath: path))
                log = try Data(contentsOf: URL(fileURLWithPath: "\(path)-wal"))
                try #require(log.isEmpty != isInLog)
            }

            func write(to directory: String) throws {
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                chmod(directory, 0o700)
                try database.write(to: URL(fileURLWithPath: "\(directory)/kinesis.db"))
                if !log.isEmpty { try log.write(to: URL(fileURLWithPath: "\(directory)/kinesis.db-wal")) }
            }
        }

        /// The result for one damaged store.
        struct Outcome {
            var end: Child.End
            var milliseconds = Double.infinity
            var rescue: (rescued: Int, lost: Int)?
            var failures: [String]
            var notes: [String]
            var delivered: Set<String>
            /// Texts that arrived but were never saved: their checksums should have kept them back.
            var altered: Int
        }

        /// The longest that a save may take during a rescue, in milliseconds.
        private let slow = promptLimit / .milliseconds(1)

        /// A call that strace makes fail, or that it kills the process at.
        struct Fault {
            let call: String
            let number: Int
            /// nil if it kills the process.
            var error: String?
        }

        /// Runs a child that saves and submits. With a fault, first runs another child that meets it; nil if it does not.
        func restart(_ fixture: Fixture, after fault: Fault? = nil) async throws -> Outcome? {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let journal = directory.path("journal")
            try fixture.write(to: directory.path("store"))
            if let fault {
                let (path, trace) = (directory.path("store"), directory.path("trace"))
                let effect = fault.error.map { "error=\($0)" } ?? "signal=KILL"
                let strace =
                    ["strace", "-f", "-qq", "-o", trace, "-e", "trace=\(fault.call)"]
                    + ["-e", "inject=\(fault.call):\(effect):when=\(fault.number)"]
                    + (fault.error == nil ? [] : ["-P", "\(path)/kinesis.db"])
                let victim = try Child(under: strace, "restart", path, server.url, directory.path("victim"), "victim")
                let end = await victim.end()
                let wasMet = try String(contentsOfFile: trace, encoding: .utf8).contains("(INJECTED)")
                guard fault.error == nil ? end == .signal(SIGKILL) : wasMet else { return nil }
            }
            let child = try Child("restart", directory.path("store"), server.url, journal, "new")
            let watch = Task {
                try await Task.sleep(for: .seconds(120))
                child.kill()
            }
            let end = await child.end()
            watch.cancel()
            let reading = JournalReading(journal)
            let arrived = Set(server.texts.keys).subtracting(["new", "victim"])
            var outcome = Outcome(
                end: end,
                failures: reading.failures,
                notes: reading.notes,
                delivered: arrived.intersection(fixture.texts),
                altered: arrived.subtracting(fixture.texts).count
            )
            if server.texts["new"] == nil { outcome.failures.append("the new record did not arrive") }
            for note in reading.notes {
                let words = note.split(separator: " ")
                if words.first == "saved" { outcome.milliseconds = words.last.flatMap { Double($0) } ?? .infinity }
                if words.first == "rescued" { outcome.rescue = (Int(words[1]) ?? -1, Int(words[3]) ?? -1) }
            }
            return outcome
        }

        /// Damages `bytes` once; returns the first damaged offset.
        func damage(_ bytes: inout Data, _ kind: Kind, _ random: inout SeededRandom) -> Int {
            let offset = Int.random(in: 0..<bytes.count, using: &random)
            switch kind {
            case .flips:
                var offsets = [offset]
                for _ in 0..<7 { offsets.append(Int.random(in: 0..<bytes.count, using: &random)) }
                for hit in Set(offsets) { bytes[hit] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
                return offsets.min() ?? offset
            case .zeroedPage:
                let page = offset / 4_096 * 4_096
                bytes.replaceSubrange(
                    page..<min(page + 4_096, bytes.count),
                    with: repeatElement(0, count: min(4_096, bytes.count - page))
                )
                return page
            case .garbage:
                let end = min(offset + 10_000, bytes.count)
                bytes.replaceSubrange(
                    offset..<end,
                    with: (offset..<end).map { _ in UInt8.random(in: 0...255, using: &random) }
                )
                return offset
            case .truncation:
                bytes.removeSubrange(max(offset, 1)...)
                return max(offset, 1)
            }
        }

        @Test func `a damaged database is moved aside: readable records are delivered, the rest counted, saves go on`()
            async throws
        {
            var random = SeededRandom(seed + 20)
            let whole = try await Fixture(records: 300, isInLog: false)
            var (rescues, delivered, altered, silent, unknown) = (0, 0, 0, 0, 0)
            var slowest = 0.0
            let files = count(12, full: 200)
            for number in 0..<files {
                var fixture = whole
                let kind = Kind.allCases[number % Kind.allCases.count]
                let offset = damage(&fixture.database, kind, &random)
                guard var outcome = try await restart(fixture) else { continue }
                // On a busy machine one measurement is unreliable; a save that is really slow is slow again.
                if outcome.milliseconds >= slow, let again = try await restart(fixture) { outcome = again }
                let details =
                    "file \(number): \(kind) at \(offset): \(outcome.rescue.map { "\($0)" } ?? "no rescue") \(outcome.delivered.count)+\(outcome.altered)"
                #expect(outcome.end == .exit(0), "\(details)")
                #expect(outcome.failures.isEmpty, "\(details) \(outcome.failures)")
                #expect(outcome.milliseconds < slow, "\(details)")
                slowest = max(slowest, outcome.milliseconds)
                delivered += outcome.delivered.count
                altered += outcome.altered
                let missing = whole.texts.count - outcome.delivered.count - outcome.altered
                if let rescue = outcome.rescue {
                    if rescue.rescued == 0 || rescue.lost < 0 { print("R9 little:", details) }
                    rescues += 1
                    unknown += rescue.lost < 0 ? 1 : 0
                    // A record that was delivered just before the damage was found may be counted as lost, and one
                    // with a damaged id may look like another record.
                    #expect(rescue.lost < 0 || rescue.lost + 1 >= missing, "\(details)")
                } else if missing > 0, outcome.notes.count < 2 {
                    // A failed submit reports what it keeps.
                    silent += missing
                    print("R9 silent:", details, outcome.notes)
                }
            }
            report(
                "R9 database:",
                [
                    "files": files, "rescues": rescues, "records": files * whole.texts.count, "delivered": delivered,
                    "altered": altered,
                    "silently missing": silent, "uncounted rescues": unknown, "slowest save ms": slowest,
                ]
            )
            #expect(silent == 0)
            #expect(altered == 0)
        }

        @Test func `a rescue that is interrupted by a crash is completed by the next process`() async throws {
            guard try canInject() else { return print("R9 kills skipped: strace is not installed or not permitted.") }
            var random = SeededRandom(seed + 22)
            var fixture = try await Fixture(records: 60, isInLog: false)
            let page = fixture.database.count / 4_096 / 2 * 4_096
            fixture.database.replaceSubrange(page..<page + 2 * 4_096, with: repeatElement(0, count: 2 * 4_096))
            let undisturbed = try #require(try await restart(fixture))
            let details =
                "\(undisturbed.end) \(undisturbed.rescue.map { "\($0)" } ?? "no rescue") \(undisturbed.delivered.count) "
                + "\(undisturbed.failures) \(undisturbed.notes)"
            #expect(undisturbed.rescue != nil, "\(details)")
            #expect(!undisturbed.delivered.isEmpty, "\(details)")
            let stride = isFull ? 1 : 12
            var (points, lost) = (0, 0)
            for call in ["rename,renameat,renameat2", "link,linkat", "unlink", "pwrite64", "fdatasync"] {
                // The moves are few and the most dangerous, so every one is tested.
                let isMove = call.contains("at") && call != "fdatasync"
                var number = isMove || stride == 1 ? 1 : Int.random(in: 1...stride, using: &random)
                while let outcome = try await restart(fixture, after: Fault(call: call, number: number)) {
                    points += 1
                    let missing = undisturbed.delivered.subtracting(outcome.delivered).count
                    lost += missing
                    #expect(missing == 0, "\(call) \(number)")
                    #expect(outcome.failures.isEmpty, "\(call) \(number): \(outcome.failures)")
                    number += isMove ? 1 : stride
                }
            }
            report("R9 killed during rescue:", ["points": points, "lost": lost])
        }

        @Test func `a file that cannot be opened once, during a rescue, is not taken for one without records`()
            async throws
        {
            guard try canInject() else { return print("R9 opens skipped: strace is not installed or not permitted.") }
            var fixture = try await Fixture(records: 60, isInLog: false)
            let page = fixture.database.count / 4_096 / 2 * 4_096
            fixture.database.replaceSubrange(page..<page + 2 * 4_096, with: repeatElement(0, count: 2 * 4_096))
            let undisturbed = try #require(try await restart(fixture)).delivered
            #expect(!undisturbed.isEmpty)
            var number = 1
            while let outcome = try await restart(
                fixture,
                after: Fault(call: "openat", number: number, error: "EMFILE")
            ) {
                #expect(undisturbed.subtracting(outcome.delivered).isEmpty, "\(number)")
                number += 1
            }
            #expect(number > 1)
            report("R9 opens failed during rescue:", ["points": number - 1])
        }

        @Test(arguments: [("EPERM", true), ("EACCES", true), ("ENOSPC", false)])
        func `a damaged file is moved aside even where hard links fail, and any other error moves nothing`(
            errorName: String,
            isRescued: Bool
        ) async throws {
            guard try canInject() else { return print("R9 links skipped: strace is not installed or not permitted.") }
            var fixture = try await Fixture(records: 60, isInLog: false)
            let page = fixture.database.count / 4_096 / 2 * 4_096
            fixture.database.replaceSubrange(page..<page + 4_096, with: repeatElement(0, count: 4_096))
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let (store, journal) = (directory.path("store"), directory.path("journal"))
            try fixture.write(to: store)
            let calls = "link,linkat"
            let strace = [
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
                "inject=\(calls):error=\(errorName)",
            ]
            let child = try Child(under: strace, "restart", store, server.url, journal, "new")
            #expect(await child.end() == .exit(0))
            let reading = JournalReading(journal)
            #expect(reading.notes.contains { $0.hasPrefix("rescued") } == isRescued, "\(reading.notes)")
            let names = try FileManager.default.contentsOfDirectory(atPath: store)
            let aside = names.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") }
            #expect(aside.count == (isRescued ? 1 : 0))
            let damaged = try Data(contentsOf: URL(fileURLWithPath: "\(store)/\(aside.first ?? "kinesis.db")"))
            #expect(damaged.count >= fixture.database.count && damaged[page..<page + 4_096].allSatisfy { $0 == 0 })
        }

        @Test func `a damaged log loses no record before the damage`() async throws {
            var random = SeededRandom(seed + 21)
            let whole = try await Fixture(records: 120, isInLog: true)
            let files = count(8, full: 100)
            var (expected, delivered, lost) = (0, 0, 0)
            var slowest = 0.0
            for number in 0..<files {
                var fixture = whole
                let kind = Kind.allCases[number % Kind.allCases.count]
                let offset = damage(&fixture.log, kind, &random)
                guard var outcome = try await restart(fixture) else { continue }
                // On a busy machine one measurement is unreliable; a save that is really slow is slow again.
                if outcome.milliseconds >= slow, let again = try await restart(fixture) { outcome = again }
                let details = "file \(number): \(kind) at \(offset): \(outcome.delivered.count)+\(outcome.altered)"
                let before = zip(whole.texts, whole.logEnds).filter { $0.1 <= offset }.map(\.0)
                #expect(outcome.end == .exit(0), "\(details)")
                #expect(outcome.failures.isEmpty, "\(details) \(outcome.failures)")
                #expect(outcome.milliseconds < slow, "\(details)")
                #expect(outcome.altered == 0, "\(details)")
                #expect(
                    before.allSatisfy(outcome.delivered.contains),
                    "\(details), \(before.count) were before the damage"
                )
                expected += before.count
                delivered += outcome.delivered.count
                lost += before.count { !outcome.delivered.contains($0) }
                slowest = max(slowest, outcome.milliseconds)
            }
            report(
                "R9 log:",
                [
                    "files": files, "before the damage": expected, "delivered": delivered, "lost": lost,
                    "slowest save ms": slowest,
                ]
            )
        }
    }
}
