import Glibc
import RecorderAWS
import RecorderEngine
import RecorderStore

/// `import FILE`: moves the records of another library's database into the store; `import -`: those that `export` printed.
struct ImportCommand: Command {
    static let spec = CommandSpec(
        name: "import",
        summary: "import a database of the AWS SDK or of Amplify, or an export",
        arguments: [.init(name: "FILE", completion: .files)],
        options: [.firehose] + OptionSpec.store,
        details: """
            Moves the records in one transaction, with their age if the file has it. Then the file is renamed to \
            FILE.imported, or FILE.imported-2 and so on if that name is taken. Records whose stream name is invalid \
            for the service are counted and stay in the file.

            FILE - is what `export` printed, on standard input: its records are saved with their streams, keys and data, \
            and their age begins again; no size limit applies. A key is kept, so consumers and `audit` tell that \
            a record was sent before. A line that names no service is saved for Kinesis, or with --firehose for Firehose. \
            The first line that cannot be saved, and a signal, end the command, which prints the number of the line to go on at.
            """,
        examples: [
            .init(line: "kinesis-recorder import - < records.jsonl", meaning: "store exported records again"),
            .init(line: "kinesis-recorder import /backup/KinesisRecorder.sqlite", meaning: "for the next submit"),
        ]
    )

    let session: Session

    func run() async throws(CommandFailure) -> ExitStatus {
        let path = session.invocation.arguments[0]
        if path == "-" { return try await ExportedRecords(session).save() }
        try Self.check(path)
        let pipeline = try session.pipeline(for: session.service)
        let done: Import
        do {
            done = try await pipeline.importRecords(from: path)
        } catch {
            throw CommandFailure(error)
        }
        var text = "imported \(Formatting.records(done.imported))"
        if done.skipped > 0 {
            text +=
                "; \(Formatting.counted(done.skipped, "record stays", plural: "records stay")) in the file, for an invalid stream name"
        }
        session.console.report(text)
        return done.skipped > 0 ? .refusedRecords : .success
    }

    /// Throws for a path at which there is no file that this user may read.
    private static func check(_ path: String) throws(CommandFailure) {
        guard unsafe access(path, R_OK) == 0 else {
            throw CommandFailure(.noInput, message: "\(path) cannot be read: \(String(errorNumber: errno)).")
        }
        guard FileStatus(path: path)?.kind != .directory else {
            throw CommandFailure(.noInput, message: "\(path) is a directory. Give the path of a database.")
        }
    }
}
