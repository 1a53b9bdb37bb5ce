import FoundationEssentials
import RecorderAWS
import RecorderStore

/// `verify`: checks the stores for damage.
struct VerifyCommand: Command {
    static let spec = CommandSpec(
        name: "verify",
        summary: "check the stores for damage, without changing them",
        options: [.onlyKinesis, .onlyFirehose, .json, .quiet] + OptionSpec.store,
        details: """
            Reads every record that waits, and checks SQLite's structures, the checksum of each record, and the counts of \
            records, of each stream and in all, against the records. A line for each store says that it is sound; otherwise a line for each problem names \
            the table or the stream, and the exit status is 1. Works while programs save and submit. The caches of \
            Amplify clients are checked too: --key is their region.

            The next save or submit that meets the damage moves the file aside, puts every record that can be read \
            into a new one, and reports how many are lost. The newest records may be only in the log beside the file \
            (-wal), which SQLite reads up to the first damaged page: what is lost behind that cannot be known.

            --json prints a list of the stores: service, path, sound, problems, moreProblems if there are more than are listed, \
            and records, bytes and streams, which are absent if damage ended the check.
            """,
        examples: [.init(line: "kinesis-recorder verify || systemctl stop app", meaning: "act on damage")]
    )

    let session: Session

    func run() throws(CommandFailure) -> ExitStatus {
        let stores = try session.storesWithClients()
        if session.invocation.has(.json) { return try printJSON(of: stores) }
        if stores.isEmpty { session.console.report(try session.nothingStored()) }
        var status = ExitStatus.success
        for (service, location) in stores {
            let found = try CommandFailure.wrapping(try StoreVerification(at: location))
            let title = "\(service): \(location.path)"
            if found.problems.isEmpty, let readable = found.readable {
                session.console.report("\(title) is sound: \(Self.summary(of: readable))")
            } else {
                status = .damage
                report(found, title: title, location: location)
            }
        }
        return status
    }

    /// What --json prints of a store.
    private struct Report: Encodable {
        let service: String
        let path: String
        let sound: Bool
        let problems: [String]
        let moreProblems: Bool
        let records: Int?
        let bytes: Int?
        let streams: Int?

        init(_ found: StoreVerification, service: String, path: String) {
            (self.service, self.path) = (service, path)
            (problems, moreProblems) = (found.problems, found.isTruncated)
            sound = found.problems.isEmpty && found.readable != nil
            (records, bytes, streams) = (found.readable?.records, found.readable?.bytes, found.readable?.streams)
        }
    }

    private func printJSON(of stores: [(service: String, location: StoreLocation)]) throws(CommandFailure) -> ExitStatus
    {
        var reports: [Report] = []
        for (service, location) in stores {
            let found = try CommandFailure.wrapping(try StoreVerification(at: location))
            reports.append(Report(found, service: service, path: location.path))
        }
        session.console.print(json: try JSONText.text(of: reports))
        return reports.allSatisfy(\.sound) ? .success : .damage
    }

    private func report(_ found: StoreVerification, title: String, location: StoreLocation) {
        let readable =
            found.readable.map { "\(Self.summary(of: $0)) can be read" } ?? "what can be read of it was not counted"
        session.console.error("\(title) is damaged; \(readable).")
        for problem in found.problems { session.console.error("  \(problem)") }
        if found.isTruncated { session.console.error("  and more") }
        let directory = FileRights.quoted(location.directory)
        let copy = FileRights.quoted("\(location.directory).copy")
        session.console.error(
            """
            To keep the damaged file for examination, stop the programs that use it and run `cp -a \(directory) \(copy)`. \
            The next save or submit that meets the damage moves it aside, and sends what can be read. If it was altered \
            without a fault of a program, check the disk and the memory of this machine.
            """
        )
    }

    private static func summary(of found: StoreVerification.Readable) -> String {
        let streams = Formatting.counted(found.streams, "stream")
        return "\(Formatting.records(found.records)), \(ByteCount(found.bytes)), in \(streams)"
    }
}
