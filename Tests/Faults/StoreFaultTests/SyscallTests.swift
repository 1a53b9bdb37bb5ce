import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Fails each write, sync, truncation and removal of a cycle once, and kills the process at each once.
    @Suite struct Syscalls {
        private static let calls = ["pwrite64", "fdatasync", "ftruncate", "fallocate", "unlink"]

        @Test(arguments: ["error=EIO", "error=ENOSPC", "signal=KILL"])
        func `a failing disk call loses no acknowledged record, and fails only the operation it hits`(
            fault: String
        ) async throws {
            guard try canInject() else {
                return print("R2/R3 skipped: strace is not installed or not permitted.")
            }
            var random = SeededRandom(seed + 30)
            // A sample by default: one call of each stride, starting with a random one.
            let stride = FaultRows.isFull ? 1 : FaultRows.isLongRun ? 6 : 24
            var (points, acknowledged, lost, duplicates, refused) = (0, 0, 0, 0, 0)
            for call in Self.calls {
                var number = Int.random(in: 1...stride, using: &random)
                var isReached = true
                while isReached {
                    let point = try await Point(call, fault, number)
                    isReached = point.isReached
                    number += stride
                    guard point.isReached else { continue }
                    points += 1
                    acknowledged += point.acknowledged
                    lost += point.lost.count
                    duplicates += point.duplicates
                    refused += point.failures.count
                    let details = "\(call) \(number - stride): \(point.failures)"
                    #expect(point.lost.isEmpty, "\(details) lost \(point.lost)")
                    #expect(point.integrity == "ok", "\(details)")
                    #expect(point.recovers, "\(details)")
                    #expect(point.failures.count <= point.faults, "\(details)")
                    #expect(point.end == (fault == "signal=KILL" ? .signal(SIGKILL) : .exit(0)), "\(details)")
                }
            }
            report(
                "R2/R3 \(fault):",
                [
                    "points": points, "acked": acknowledged, "lost": lost, "duplicates": duplicates,
                    "errors seen": refused,
                ]
            )
            #expect(points > 0)
        }

        @Test(arguments: ["error=EIO", "error=ENOSPC"])
        func `a disk that keeps failing loses no acknowledged record, and the next program works again`(
            fault: String
        ) async throws {
            guard try canInject() else { return print("R3 skipped: strace is not installed or not permitted.") }
            var (points, acknowledged, lost, refused) = (0, 0, 0, 0)
            for call in ["pwrite64", "fdatasync", "ftruncate"] {
                var number = 1
                while true {
                    let point = try await Point(call, fault, number, isPersistent: true)
                    guard point.isReached else { break }
                    points += 1
                    acknowledged += point.acknowledged
                    lost += point.lost.count
                    refused += point.failures.count
                    let details = "\(call) from \(number) on: \(point.failures)"
                    #expect(point.lost.isEmpty, "\(details) lost \(point.lost)")
                    #expect(point.integrity == "ok", "\(details)")
                    #expect(point.recovers, "\(details)")
                    #expect(point.end == .exit(0), "\(details)")
                    number += isFull ? 1 : isLongRun ? max(number / 4, 2) : number * 3
                }
            }
            report(
                "R3 \(fault) from a call on:",
                ["points": points, "acked": acknowledged, "lost": lost, "errors seen": refused]
            )
            #expect(points > 0 && refused > 0)
        }

        @Test(arguments: ["EMFILE", "EACCES"])
        func `a temporary failure to open a file fails only the operation it hits`(error: String) async throws {
            guard try canInject() else { return print("R3 skipped: strace is not installed or not permitted.") }
            var (points, lost, refused) = (0, 0, 0)
            for file in [
                "", "/kinesis.db", "/kinesis.db-wal", "/kinesis.db-shm", "/kinesis.db.lock", "/kinesis.db.submit",
            ] {
                for isNew in isLongRun ? [true, false] : [false] {
                    var number = 1
                    while true {
                        let point = try await Point("openat", "error=\(error)", number, isNew: isNew, file: file)
                        guard point.isReached else { break }
                        points += 1
                        lost += point.lost.count
                        refused += point.failures.count
                        let details = "\(file) \(number), new \(isNew): \(point.failures)"
                        #expect(point.lost.isEmpty, "\(details) lost \(point.lost)")
                        #expect(point.integrity == "ok", "\(details)")
                        #expect(point.recovers, "\(details)")
                        #expect(point.failures.count <= point.faults, "\(details)")
                        #expect(point.end == .exit(0), "\(details)")
                        number += 1
                    }
                }
            }
            report("R3 open \(error):", ["points": points, "lost": lost, "errors seen": refused])
            #expect(points > 0)
        }

        @Test func `control: a fault detects a child that acknowledges before the commit`() async throws {
            guard try canInject() else { return print("R3 control skipped: no strace.") }
            let point = try await Point("fdatasync", "error=EIO", 4, command: "early-cycle")
            #expect(point.isReached)
            #expect(!point.lost.isEmpty)
        }
    }
}

/// One cycle with one fault, and what the next program finds.
private struct Point {
    let end: Child.End
    let isReached: Bool
    let faults: Int
    let acknowledged: Int
    let failures: [String]
    let lost: [String]
    let duplicates: Int
    let integrity: String
    /// Whether the next program saves and delivers.
    let recovers: Bool

    /// Fails call `number`, or all calls from it on. If `file` names a file of the store, only calls on it count.
    init(
        _ call: String,
        _ fault: String,
        _ number: Int,
        isPersistent: Bool = false,
        isNew: Bool = true,
        file: String? = nil,
        command: String = "cycle"
    ) async throws {
        let directory = try TemporaryDirectory()
        let server = try RecordingServer()
        let (path, journal, trace) = (directory.path("store"), directory.path("journal"), directory.path("trace"))
        var strace = [
            "strace", "-f", "-qq", "-o", trace, "-e", "trace=\(call)", "-e",
            "inject=\(call):\(fault):when=\(number)\(isPersistent ? "+" : "")",
        ]
        if let file { strace += ["-P", path + file] }
        if !isNew { try await PipelineHarness(in: path, to: nil).save("before") }
        let child = try Child(under: strace, command, path, server.url, journal, "c")
        end = await child.end()
        let seen = (try? String(contentsOfFile: trace, encoding: .utf8)) ?? ""
        // strace counts per thread, so one number can hit several calls of a run.
        faults = seen.components(separatedBy: "(INJECTED)").count - 1
        isReached = faults > 0 || seen.contains("killed by SIGKILL")
        let reading = JournalReading(journal)
        acknowledged = reading.acknowledged.count
        failures = reading.failures + reading.notes
        let store = try PipelineHarness(in: path, to: server.url)
        try await store.save("next")
        _ = try await store.flush()
        let arrived = server.texts
        recovers = try arrived["next"] != nil && store.pipeline.totals().records == 0
        lost = reading.acknowledged.filter { arrived[$0] == nil }
        duplicates = server.duplicates
        let check = try SQLiteConnection(path: "\(path)/kinesis.db", access: .readOnly).prepare(
            "PRAGMA integrity_check"
        )
        integrity = try check.step() ? check.text(at: 0) : "nothing"
    }
}

/// Whether strace is installed and permitted.
func canInject() throws -> Bool {
    try runTool("strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=mkdir:error=EIO:when=9", "true") == 0
}
