import LineRecords

extension FollowCommand {
    static let spec = CommandSpec(
        name: "follow",
        summary: "save each line of files that grow as a record, exactly once",
        arguments: [.init(name: "STREAM"), .init(name: "PATH", isRepeated: true, completion: .files)],
        options: [.firehose, .fromEnd, .exclude, .ignoreOlder, .delimiter, .keepDelimiter, .partitionKey]
            + RecordRules.options + RecordFields.options + [.submit] + OptionSpec.sending
            + [.followLimit, .maximumRecord, .maximumAge, .metricsFile, .previewsFiles] + OptionSpec.log
            + OptionSpec.store + OptionSpec.service,
        runsUntilStopped: true,
        details: """
            The position in a file is stored in the same transaction as the lines before it. So after a kill, each line \
            is in the store exactly once, and a later run goes on where this one ended; after a power cut, too, unless it \
            took the end of the file, which a message says. PATH is a file, \
            which need not exist yet, or a quoted pattern with *, ?, [...] and ** (any directories), which is looked up \
            again while the command runs.

            A file is recognized by its inode and its bytes. One that is renamed is read to its end, also if that happens \
            while nothing follows it, as long as it stays in its directory, and has a name such as app.log.1, \
            app.log-20261123 or app-20261123.log. Another file with such a name is read, too, when it grows, and then \
            named. A file that gzip compressed before it was read, or read to its end, is read in its content; other \
            compressed files are not. If a file is deleted before it was read to its end, that is reported. A file \
            that is truncated in place (copytruncate) is reported as well, with what may be missing; its copy is read on \
            if there is one. Files of record stores, and those that the command itself writes, are left out.

            A line is complete at its newline, or when its file is deleted. A line over 1,024,000 bytes, or over \
            --max-record, is refused, reported and counted. If the disk is full or the store is at its --limit, reading \
            stops until there is room: nothing is discarded. Of several streams in one store, one that stores less than \
            its share goes on, the limit divided by the streams that have records; the store may take up to twice its \
            limit then. Several commands may share a store; one of them reads each file for a stream. A `save` to the \
            same store discards the oldest lines of the largest stream at its own --limit.

            A record that is a JSON object gets the members of --add-path, --add-host and --add-offset first, and is \
            unchanged otherwise: a member that it has is kept. Other records are stored as they are, or with \
            --message-field become an object with their text. What has no field is reported once and counted: a record \
            that is no object, has the member, would be too long, or was cut. --partition-key-field finds added members, \
            too; patterns are for the line as it was read.

            SIGINT and SIGTERM end the command with status 0, and so does SIGHUP when its terminal is closed; without a \
            terminal, as in a service, SIGHUP is ignored with a warning. A second signal after half a second or more ends it at once. Lines for systemd's \
            journal have a priority: <3> is an error.
            """,
        examples: [
            .init(
                line: "kinesis-recorder follow app /var/log/app.log --submit",
                meaning: "a log file, sent as it grows"
            ),
            .init(
                line: "kinesis-recorder follow app '/var/log/app/*.log' --from-end",
                meaning: "all logs of a directory; of files that exist now, only new lines"
            ),
        ]
    )
}

extension OptionSpec {
    /// The same option as `limit`, with what it does here.
    static let followLimit = OptionSpec(
        limit.name,
        value: "SIZE",
        help: "the size of the store at which reading stops, such as 500M or 2G; 0 for no limit [1G]"
    )
    static let exclude = OptionSpec(
        "exclude",
        value: "PATTERN",
        isRepeated: true,
        help:
            "leave out files with such a name, or such a path if PATTERN has a slash; may be given several times [none]"
    )
    static let ignoreOlder = OptionSpec(
        "ignore-older",
        value: "TIME",
        help: "of files found for the first time that are older than this, such as 7d, read only what is added [none]"
    )
    static let fromEnd = OptionSpec(
        "from-end",
        help: "when a path is followed for the first time, begin at the end of the files that exist [the start]"
    )
}
