import Foundation
import Glibc
import RecorderCommands
import RecorderConcurrency
import RecorderStore
import SimulatedMachine
import Synchronization

/// A simulated process that runs one command line.
struct CommandProcess {
    private let program: Program
    private let start: ProcessStart
    private let service: Service

    init(_ program: Program, _ start: ProcessStart) {
        self.program = program
        self.start = start
        service = start.service
    }

    func run() {
        switch program {
        case .save: Chance.oneIn(5) ? importLines() : save()
        case .watch: watch()
        case .submit: command(["submit"] + sending)
        default: look()
        }
    }

    private var sending: [String] {
        (start.laws.settings.keepsOrder ? ["--ordered"] : []) + (start.sharesEntries() ? ["--aggregate"] : [])
            + (start.profile.badService && Chance.oneIn(2) ? ["--keep-rejected"] : [])
    }

    /// Lines of a file or of a pipe become records: sent or not, with or without a limit.
    private func save() {
        let stream = Chance.below(start.laws.streams)
        let entries = (0..<start.records).map { _ in start.entry(stream: stream) }
        let lines = entries.map { String(decoding: PutRequest.Sent.data($0.number, bytes: $0.bytes), as: UTF8.self) }
        let input = makeInput(lines)
        var words = ["save", "s\(stream)"]
        if Chance.oneIn(2) { machine_read_from(input) } else { words += ["--file", input] }
        if start.laws.settings.keepsOrder || Chance.oneIn(3) {
            words += ["--partition-key", "lines \(start.life)"]
            for entry in entries { entry.hasGivenKey.value = 1 }
        }
        let submits = Chance.oneIn(2)
        if submits { words += ["--submit"] + sending }
        if Chance.oneIn(2) {
            words += start.profile.discards ? ["--limit", "25000", "--max-record", "24K"] : ["--limit", "0"]
        }
        let status = command(words)
        machine_remove_file(input)
        // All are saved, although the last submit failed.
        let isSaved = status == 0 || submits && [69, 75, 77, 78].contains(status)
        for entry in entries { entry.end(isSaved ? .saved : .failed) }
        machine_tell("answered", Int64(entries.first?.number ?? 0), Int64(entries.count))
    }

    /// What `export` prints becomes records again.
    private func importLines() {
        let entries = (0..<start.records).map { _ in start.entry() }
        let lines = entries.map { entry in
            let data = Data(PutRequest.Sent.data(entry.number, bytes: entry.bytes)).base64EncodedString()
            entry.hasGivenKey.value = 1
            return #"{"stream":"s\#(entry.stream)","partitionKey":"lines \#(start.life)","data":"\#(data)"}"#
        }
        let input = makeInput(lines)
        machine_read_from(input)
        let isSaved = command(["import", "-"]) == 0
        machine_remove_file(input)
        for entry in entries { entry.end(isSaved ? .saved : .failed) }
    }

    private func makeInput(_ lines: [String]) -> String {
        let input = "/world/input \(start.life)"
        machine_make_file(input, lines.map { "\($0)\n" }.joined())
        return input
    }

    /// Submits until all is sent, and then takes a signal.
    private func watch() {
        let isEnded = Flag()
        let words = ["submit", "--watch", "\(1 + Chance.below(5))s"] + sending
        begin(words) { _ in isEnded.set() }
        while !isEnded.isSet, Ledger.isEnding.value == 0 || !areAllSent || !takesSignals {
            machine_sleep(Int64(500 + Chance.below(3_000)) * 1_000_000)
        }
        // It says why records are left.
        if Ledger.isEnding.value != 0 { machine_sleep(12_000_000_000) }
        let signalled = machine_now()
        raise(SIGTERM)
        isEnded.wait()
        let seconds = (machine_now() - signalled) / 1_000_000_000
        if seconds > 12, !start.profile.stalls { Ledger.violate("a command ends soon after a signal", Int(seconds)) }
    }

    /// Whether a signal does not end the process at once, as it does while the command begins.
    private var takesSignals: Bool {
        var action = sigaction()
        sigaction(SIGTERM, nil, &action)
        return action.__sigaction_handler.sa_handler != nil
    }

    private var areAllSent: Bool {
        [Store.kinesis, .firehose].allSatisfy { store in
            guard !Laws.isUnused(store) else { return true }
            guard let streams = try? StoreView(at: store.location).status().streams else { return false }
            return isDrained(streams)
        }
    }

    private func look() {
        switch Chance.below(start.profile.discards ? 8 : 7) {
        case 0: command(["status", "--json"])
        case 1: command(["list"])
        case 2: command(["peek", "s0"])
        case 3: command(["export"])
        case 4:
            if command(["verify"]) == 1, !start.profile.liesAboutSyncs, Ledger.isRestored.value == 0 {
                Ledger.violate("a store is sound at any moment", start.life)
            }
        case 5: command(["rejected", "--json"])
        case 6: command(["rejected", "--restore"])
        default: command(["clear", "--yes", "--stream", "s0"])
        }
    }

    @discardableResult
    private func command(_ words: [String]) -> Int {
        let result = Atomic(-1)
        let isEnded = Flag()
        begin(words) { status in
            result.store(status, ordering: .releasing)
            isEnded.set()
        }
        isEnded.wait()
        return result.load(ordering: .acquiring)
    }

    private func begin(_ words: [String], _ ended: @escaping @Sendable (Int) -> Void) {
        let words = words + ["--directory", start.directory()]
        let environment = [
            "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_ENDPOINT_URL": "http://localhost:1", "HOME": "/nowhere",
        ]
        machine_tell(words.joined(separator: " "), Int64(start.life), 0)
        Task.detached(executorPreference: CommandLineTool.executor) { [service] in
            let status = await CommandLineTool.run(words, environment: environment, transport: service)
            machine_tell("ended: \(words[0])", Int64(status), 0)
            ended(Int(status))
        }
    }
}
