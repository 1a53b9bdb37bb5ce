import Foundation
import Glibc
import RecorderEngine
import RecorderHTTP
import RecorderStore
import RecorderTestSupport

/// A process for the fault tests to kill: `StoreChild <command> <directory> <url or -> <journal> <name> [count [option ...]]`.
///
/// In a command that ends with `-shared`, records share entries of requests.
/// It ends when its standard input does, so that it never outlives the tests.
@main
struct StoreChild {
    let store: PipelineHarness
    let journal: Journal
    let name: String
    let count: Int
    /// The directory and the endpoint that the store was given, and arguments of a scenario's own.
    let directory: String
    let url: String
    let options: [String]

    static func main() async throws {
        var arguments = processArguments
        guard arguments.count >= 6 else { fatalError("usage: command directory url journal name [count [option ...]]") }
        if arguments[1] == "daemon" {
            continueInForkedChild()
            arguments[1] = "cycle"
        }
        if arguments[1] == "end" { Self.prepareEnd(usingOpenSSL: arguments.contains("openssl-first")) }
        let sharesEntries = arguments[1].hasSuffix(Self.sharing)
        if sharesEntries { arguments[1].removeLast(Self.sharing.count) }
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 {}
            _exit(9)
        }
        let journal = Journal(arguments[4])
        let count = arguments.count > 6 ? Int(arguments[6]) ?? 0 : 0
        let shortTimeouts = HTTPTimeouts(connect: .milliseconds(count), stall: .milliseconds(count))
        let child = StoreChild(
            store: try PipelineHarness(
                in: arguments[2],
                to: arguments[3] == "-" ? nil : arguments[3],
                byteLimit: arguments[1] == "evict" ? count : 0,
                sharesEntries: sharesEntries ? true : nil,
                transport: arguments[1] == "power" ? JournalingTransport(journal: journal) : CurlTransport.shared,
                timeouts: arguments[1] == "short-timeouts" ? shortTimeouts : HTTPTimeouts()
            ) { event in
                switch event {
                case .rescued(let rescue): journal.note("rescued \(rescue.rescued) lost \(rescue.lost ?? -1)")
                case .discarded(let discard): journal.note("discarded \(discard.count) \(discard.reason)")
                default: break
                }
            },
            journal: journal,
            name: arguments[5],
            count: count,
            directory: arguments[2],
            url: arguments[3],
            options: Array(arguments.dropFirst(7))
        )
        switch arguments[1] {
        case "run": await child.run(savers: child.count, acknowledgesEarly: false)
        case "early": await child.run(savers: child.count, acknowledgesEarly: true)
        case "open": child.open()
        case "save": await child.save()
        case "submit": await child.submit()
        case "cycle": await child.cycle(acknowledgesEarly: false)
        case "early-cycle": await child.cycle(acknowledgesEarly: true)
        case "power": await child.power()
        case "soak": await child.soak()
        case "leave": await child.leave()
        case "restart": await child.restart()
        case "short-timeouts": await child.submitWithShortTimeouts()
        case "aged": await child.aged()
        case "clock": await child.clock()
        case "starve": await child.starve()
        case "fork": await child.fork()
        case "fork-left": await child.leaveForkedChild()
        case "spawn": await child.spawnProgram()
        case "end": await child.end()
        case "evict": await child.evict()
        case "threads": child.withoutThreads()
        case "herd": try await child.herd()
        case "order": try await child.keepSubmitting()
        case "streams": await child.streams()
        default: fatalError("no command \(arguments[1])")
        }
    }

    private static let sharing = "-shared"

    /// Not `CommandLine.arguments`: Swift locates those relative to the environment, and finds none if a preloaded
    /// library such as libfaketime has moved it.
    private static var processArguments: [String] {
        let line = try? String(contentsOfFile: "/proc/self/cmdline", encoding: .utf8)
        return line?.split(separator: "\0").map(String.init) ?? []
    }

    /// Concurrent savers, each with several saves in flight, and a submit loop, until the process is killed.
    ///
    /// Early acknowledgements are the deliberate error that a control must detect. `delivered` gets each submit's count.
    func run(
        savers: Int,
        acknowledgesEarly: Bool,
        delivered: @escaping @Sendable (Int) -> Void = { _ in }
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for saver in 0..<savers {
                group.addTask {
                    var number = 0
                    while true {
                        await saveSome("\(name)-\(saver)-\(number)", to: "stream\(saver % 2)", acknowledgesEarly)
                        number += 1
                    }
                }
            }
            group.addTask { while true { delivered(await submit()) } }
        }
    }

    /// Eight saves in the queue at once.
    private func saveSome(_ text: String, to stream: String, _ acknowledgesEarly: Bool) async {
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<8 {
                group.addTask { await save("\(text)-\(part)", to: stream, acknowledgesEarly) }
            }
        }
    }

    /// Whether the save succeeded.
    @discardableResult
    func save(_ text: String, to stream: String, _ acknowledgesEarly: Bool = false) async -> Bool {
        if acknowledgesEarly { journal.acknowledged(text) }
        do {
            try await store.save(text, to: stream)
            if !acknowledgesEarly { journal.acknowledged(text) }
            return true
        } catch {
            journal.failed(error)
            return false
        }
    }

    /// Opens the store and counts its records.
    private func open() {
        do {
            journal.note("records \(try store.pipeline.totals().records)")
        } catch {
            journal.failed(error)
        }
    }

    /// `count` saves, one after the other.
    func save() async {
        for number in 0..<count { await save("\(name)-\(number)", to: "stream") }
    }

    /// One submit; returns how many records it delivered.
    @discardableResult func submit() async -> Int {
        do {
            let report = try await store.flush()
            for failure in report.failures { journal.note(failure.error.message) }
            return report.delivered
        } catch {
            journal.failed(error)
            return 0
        }
    }

    /// What a program does at its next start: one timed save and two submits. The second submit reports the records
    /// that the first found missing.
    private func restart() async {
        let start = ContinuousClock.now
        await save(name, to: "stream")
        journal.note("saved after \((ContinuousClock.now - start) / .milliseconds(1))")
        await submit()
        await submit()
    }

    /// Saves and submits some records strictly in sequence, so that the same fault hits the same step each time.
    private func cycle(acknowledgesEarly: Bool) async {
        for number in 0..<4 { await save("\(name)-a\(number)", to: "stream", acknowledgesEarly) }
        await submit()
        for number in 0..<2 { await save("\(name)-b\(number)", to: "stream", acknowledgesEarly) }
        await submit()
        await save("\(name)-c", to: "stream", acknowledgesEarly)
    }
}
