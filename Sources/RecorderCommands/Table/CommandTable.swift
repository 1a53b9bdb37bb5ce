import RecorderAWS

/// Every command, in the order of the help text.
package enum CommandTable {
    static let program = "kinesis-recorder"
    static let summary = "save records on disk now, send them to Amazon Kinesis or Data Firehose later"
    static var versionLine: String { "\(program) \(UserAgent.version)" }

    package static let all: [CommandSpec] = [save, submit, status, list, clear, importing, doctor, completions, help]

    package static func command(_ name: String) -> CommandSpec? {
        all.first { $0.name == name }
    }

    private static let save = CommandSpec(
        name: "save",
        summary: "save each line of standard input as a record",
        arguments: [.init(name: "STREAM", isOptional: false)],
        options: [.firehose, .file, .fromByte, .delimiter, .keepDelimiter, .partitionKey, .submit, .requests, .gzip]
            + [.limit, .maximumAge, .quiet] + OptionSpec.store + OptionSpec.service,
        details: """
            A record is counted as saved once it is on disk, power cuts included. Bytes are taken as they are; a last \
            line without a newline is a record too. A line over 1,024,000 bytes is refused, named and counted; the \
            others are saved. SIGINT, SIGTERM and SIGHUP end the reading, not the saving of what was read; what \
            waits in a pipe counts as read.

            After a read or a commit that fails nothing more is stored: what is stored are the first records of the \
            input, whole ones. It says how many, and where in FILE the rest begins; --from-byte goes on there. Lines \
            that come by a pipe have to be given again by their writer.

            With --submit, trouble with the network or the service stops nothing: records wait on disk, and are \
            tried again after 1 to 60 seconds. What is left at the end stays stored for the next submit.
            """,
        examples: [
            .init("kinesis-recorder save clicks --file clicks.ndjson --quiet", "a file, to be sent later"),
            .init("kinesis-recorder save app --file app.log.1 --submit", "a log that was rotated, sent at once"),
            .init("my-program | kinesis-recorder save app --submit", "what a program prints, as long as it runs"),
        ],
        run: { (session) throws(CommandFailure) in try await SaveCommand(session).run() }
    )

    private static let submit = CommandSpec(
        name: "submit",
        summary: "send what is stored",
        options: [.onlyKinesis, .onlyFirehose, .watch, .requests, .gzip, .quiet]
            + OptionSpec.store + OptionSpec.service,
        details: """
            A record leaves the disk only when the service has answered for it. On a terminal a bar shows how far it \
            is, how fast and for how long still; elsewhere a line every five seconds does. After a signal the \
            requests that are on their way have 8 seconds to be answered; a second signal ends it at once.
            """,
        examples: [
            .init("kinesis-recorder submit", "everything, once"),
            .init("kinesis-recorder submit --watch 60", "everything, every minute, until stopped"),
        ],
        run: { (session) throws(CommandFailure) in try await SubmitCommand(session).run() }
    )

    private static let status = CommandSpec(
        name: "status",
        summary: "show what is stored, stream by stream",
        options: [.onlyKinesis, .onlyFirehose, .json] + OptionSpec.store,
        details: """
            Bytes count payload, partition key and 64 bytes for each record. The limits and the last error are those \
            of whoever saved or submitted last, this command or a program. Caches of the program's Amplify clients are \
            shown, too: they send by themselves, their limit counts no 64 bytes, and --key is their region.
            """,
        examples: [
            .init("kinesis-recorder status", "a table"),
            .init("kinesis-recorder status --json | jq '.[].streams[].records'", "for scripts"),
        ],
        run: { (session) throws(CommandFailure) in try StatusCommand(session).run() }
    )

    private static let list = CommandSpec(
        name: "list",
        summary: "list the stores of this user's programs",
        options: [.json, .directory],
        details: "What it shows as PROGRAM and KEY is what --name and --key of the other commands take.",
        examples: [.init("kinesis-recorder list", "every store that lies in its default place")],
        run: { (session) throws(CommandFailure) in try ListCommand(session).run() }
    )

    private static let clear = CommandSpec(
        name: "clear",
        summary: "remove what is stored, without sending it",
        options: [.onlyKinesis, .onlyFirehose, .yes] + OptionSpec.store,
        details: "Asks before it does, unless told not to. What it removes is gone.",
        examples: [.init("kinesis-recorder clear --firehose", "the Firehose store, after a question")],
        run: { (session) throws(CommandFailure) in try await ClearCommand(session).run() }
    )

    private static let importing = CommandSpec(
        name: "import",
        summary: "take over the database of an AWS SDK recorder or Amplify client",
        arguments: [.init(name: "FILE", isOptional: false)],
        options: [.firehose] + OptionSpec.store,
        details: """
            The records are moved in one transaction, with their age where the file tells it; the file is renamed to \
            FILE.imported (FILE.imported-2 and so on where such a file is). Records whose stream the service cannot have are counted and stay there.
            """,
        examples: [.init("kinesis-recorder import /backup/KinesisRecorder.sqlite", "for the next submit")],
        run: { (session) throws(CommandFailure) in try await ImportCommand(session).run() }
    )

    private static let doctor = CommandSpec(
        name: "doctor",
        summary: "check this machine and the way to the service, and say what to do",
        arguments: [.init(name: "STREAM", isOptional: true)],
        options: [.firehose, .offline] + OptionSpec.store + OptionSpec.service,
        details: """
            Looks at the directory, the libraries, region, endpoint, credentials and clock. It asks the service one \
            harmless question (ListStreams or ListDeliveryStreams); with STREAM it also asks whether there is such a \
            stream. No record is sent.
            """,
        examples: [.init("kinesis-recorder doctor app", "before the first record of the stream app")],
        run: { (session) throws(CommandFailure) in await DoctorCommand(session).run() }
    )

    private static let completions = CommandSpec(
        name: "completions",
        summary: "print the completions for a shell",
        arguments: [.init(name: "SHELL", isOptional: false, words: Completions.shells)],
        examples: [.init("source <(kinesis-recorder completions bash)", "for this shell")],
        run: { (session) throws(CommandFailure) in try Completions.run(session) }
    )

    private static let help = CommandSpec(
        name: "help",
        summary: "explain the program or a command",
        arguments: [.init(name: "COMMAND", isOptional: true)],
        options: [.man],
        examples: [.init("kinesis-recorder help --man | man -l -", "the manual page")],
        run: { (session) throws(CommandFailure) in try HelpText.run(session) }
    )
}
