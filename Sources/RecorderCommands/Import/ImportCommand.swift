import RecorderEngine

/// `import FILE`: moves the records of another library's database into the store.
struct ImportCommand: Command {
    static let spec = CommandSpec(
        name: "import",
        summary: "import the database of an AWS SDK recorder or Amplify client",
        arguments: [.init(name: "FILE", completion: .files)],
        options: [.firehose] + OptionSpec.store,
        details: """
            Moves the records in one transaction, with their age if the file has it. Then the file is renamed to \
            FILE.imported, or FILE.imported-2 and so on if that name is taken. Records whose stream name is invalid \
            for the service are counted and stay in the file.
            """,
        examples: [
            .init(line: "kinesis-recorder import /backup/KinesisRecorder.sqlite", meaning: "for the next submit")
        ]
    )

    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let pipeline = try session.pipeline(for: session.service)
        let path = session.invocation.arguments[0]
        let done: Import
        do {
            done = try await pipeline.importRecords(from: path)
        } catch {
            throw CommandFailure(error)
        }
        var text = "imported \(Formatting.records(done.imported))"
        if done.skipped > 0 {
            text += "; \(Formatting.count(done.skipped)) with an invalid stream name stay in the file"
        }
        session.console.report(text)
        return done.skipped > 0 ? .refusedRecords : .success
    }
}
