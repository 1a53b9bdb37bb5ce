import Glibc
import RecorderEngine

/// `clear`: removes what is stored, after a confirmation.
struct ClearCommand: Command {
    static let spec = CommandSpec(
        name: "clear",
        summary: "remove what is stored, without sending it",
        options: [.onlyKinesis, .onlyFirehose, .yes] + OptionSpec.store,
        details: "Asks for confirmation, unless --yes is given. Removed records cannot be restored.",
        examples: [.init(line: "kinesis-recorder clear --firehose", meaning: "the Firehose store, after a question")]
    )

    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        var removed = 0
        for (service, location) in try session.existingStores() {
            let pipeline = try session.pipeline(for: service)
            let totals = try CommandFailure.wrapping(try pipeline.totals())
            guard totals.records > 0 else { continue }
            let what = "\(Formatting.records(totals.records)) (\(ByteCount(totals.bytes))) in \(location.path)"
            guard try isConfirmed("Remove \(what) without sending?") else {
                session.console.report("\(service.name): nothing was removed.")
                continue
            }
            do {
                removed += try await pipeline.clear()
            } catch {
                throw CommandFailure(error)
            }
        }
        session.console.report("removed \(Formatting.records(removed)).")
        return .success
    }

    private func isConfirmed(_ question: String) throws(CommandFailure) -> Bool {
        if session.invocation.has(.yes) { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .usage,
                message: "clear: standard input is not a terminal, so there is no confirmation. Give --yes to remove."
            )
        }
        session.console.ask("\(question) [y/N] ")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }
}

extension OptionSpec {
    fileprivate static let yes = OptionSpec("yes", letter: "y", help: "do not ask for confirmation")
}
