import FoundationEssentials
import RecorderEngine

/// `status`: what is stored, stream by stream.
struct StatusCommand: Command {
    static let spec = CommandSpec(
        name: "status",
        summary: "show what is stored, stream by stream",
        options: [.onlyKinesis, .onlyFirehose, .json] + OptionSpec.store,
        details: """
            The size of a record is its payload, its partition key and 64 bytes. The limits and the last error come \
            from the last save or submit, by this command or by a program. The caches of the program's Amplify \
            clients are shown as well: --key is their region, and their limit does not count the 64 bytes. The \
            clients send them; this command does not.
            """,
        examples: [
            .init(line: "kinesis-recorder status", meaning: "a table"),
            .init(line: "kinesis-recorder status --json | jq '.[].streams[].records'", meaning: "for scripts"),
        ]
    )

    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func run() throws(CommandFailure) -> ExitStatus {
        var reports: [StatusReport] = []
        for (service, location) in try stores() {
            let status = try CommandFailure.wrapping(try RecordStore(at: { location }).status())
            reports.append(StatusReport(status, of: service, at: location.path, now: Date()))
        }
        if session.invocation.has(.json) {
            session.console.print(json: try JSONText.text(of: reports))
        } else if reports.isEmpty {
            session.console.print("nothing is stored; `\(Program.name) list` shows the stores of other programs.")
        } else {
            session.console.print(reports.map(\.text).joined(separator: "\n\n"))
        }
        return .success
    }

    /// The program's recorders of this command's services and key, and its Amplify clients, whose key is their region.
    private func stores() throws(CommandFailure) -> [(service: String, location: StoreLocation)] {
        var found = try session.existingStores().map { ($0.service.name, $0.location) }
        for service in session.services {
            let files = StoreFile.all(in: try session.location(of: service).directory)
            let key = session.invocation.value(.key)
            for file in files where file.service == "amplify-\(service.name)" && (key == nil || key == file.key) {
                found.append((file.service, file.location))
            }
        }
        return found
    }
}
