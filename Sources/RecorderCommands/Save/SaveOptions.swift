import LineRecords
import RecorderStore

extension SaveCommand {
    static let spec = CommandSpec(
        name: "save",
        summary: "save each line of standard input as a record",
        arguments: [.init(name: "STREAM")],
        options: [.firehose, .file, .fromByte, .delimiter, .keepDelimiter, .partitionKey] + RecordRules.options
            + [.submit] + OptionSpec.sending + [.limit, .maximumRecord, .maximumAge, .metricsFile] + OptionSpec.output
            + OptionSpec.store + OptionSpec.service,
        details: """
            A record counts as saved once it is on disk, where it survives a power cut. Input bytes are stored as they \
            are. The last line is a record even without a newline. A line over 1,024,000 bytes, \
            or over --max-record, is refused, reported and counted; the other lines are saved. SIGINT, SIGTERM and \
            SIGHUP stop the reading; lines that have been read, or are already in the pipe, are still saved.

            STREAM is a name or an ARN. Kinesis accepts ARNs of other accounts; for Firehose, only the name is sent. A \
            Kinesis stream accepts records of 1 MiB unless its maximum was raised; a larger record is discarded when it \
            is sent, and reported with both sizes.

            After a read or a commit fails, nothing more is stored: the store holds the beginning of the input, in \
            whole records. The message says how many records, and at which byte of FILE the rest begins; --from-byte \
            continues there. The program at the other end of a pipe has to send the remaining lines again.

            With --multiline-start, a record ends before the next line that matches, after 1,000 lines, before it would \
            be too long, at the end of the input, and if no line comes for 5 seconds. The other rules are for records, \
            without their delimiter. A record without the text for a partition key gets a key of its own; such records \
            are counted. REGEX is a regular expression of PCRE2, as in Perl and nearly as in Java. A search that takes too \
            long is given up, reported and counted; the record counts as not matching. Bytes that are not UTF-8 are read \
            as U+FFFD.

            With --submit, errors of the network or the service do not stop the command: records wait on disk and are \
            sent again after 2 to 60 seconds. Records that are left at the end stay stored for the next submit. Lines on \
            standard error have a time if a file or a pipe gets them, and for systemd's journal a priority. With --json, and \
            with --log-format json, standard output has nothing but the JSON object of --json.
            """,
        examples: [
            .init(
                line: "kinesis-recorder save clicks --file clicks.ndjson --quiet",
                meaning: "a file, to be sent later"
            ),
            .init(line: "kinesis-recorder save app --file app.log.1 --submit", meaning: "a rotated log, sent at once"),
            .init(
                line: "my-program | kinesis-recorder save app --submit",
                meaning: "the output of a program, as long as it runs"
            ),
            .init(
                line: #"kinesis-recorder save app --file app.log --multiline-start '^\d{4}-'"#,
                meaning: "a log with stack traces, whose records begin with a date"
            ),
        ]
    )
}

extension Invocation {
    /// Throws if the store could not hold one record of `bytes` with its key: it would be discarded as soon as it is saved, or a
    /// follower would wait for ever.
    func checkLimit(of policy: RecorderPolicy, holds bytes: Int) throws(CommandFailure) {
        let least = bytes + Record.overhead
        guard policy.limits.bytes > 0, policy.limits.bytes < least else { return }
        throw CommandFailure(
            .usage,
            message:
                "--limit \(value(.limit) ?? ""): a record may take \(Formatting.count(least)) bytes. Give at least that"
                + (command.options.contains { $0.name == OptionSpec.maximumRecord.name }
                    ? ", or lower --max-record." : ".")
        )
    }
}

extension OptionSpec {
    static let file = OptionSpec(
        "file",
        letter: "f",
        value: "FILE",
        completion: .files,
        help: "read FILE instead of standard input"
    )
    static let fromByte = OptionSpec(
        "from-byte",
        value: "N",
        help: "start at this byte of FILE, as named by a save that ended early [0]"
    )
    static let delimiter = OptionSpec(
        "delimiter",
        value: "BYTE",
        completion: .words(["\\n", "\\0", "\\t", "none"]),
        help: "what ends a record: one character, \\n, \\r, \\t, \\0, \\xHH, or none for a single record [\\n]"
    )
    static let keepDelimiter = OptionSpec(
        "keep-delimiter",
        help: "keep the delimiter at the end of each record; always on with --firehose, which joins records"
    )
    static let partitionKey = OptionSpec(
        "partition-key",
        letter: "p",
        value: "KEY",
        help: "one key for all records, which keeps them in one shard and in order [a key of its own for each]"
    )
    static let limit = OptionSpec(
        "limit",
        value: "SIZE",
        help:
            "the size limit of the store, such as 500M or 2G; the oldest records of the largest stream are discarded; 0 for no limit [1G]"
    )
    static let maximumRecord = OptionSpec(
        "max-record",
        value: "SIZE",
        help: "the maximum size of a record, up to 10M for Kinesis with its key, 1000K for Firehose [1000K]"
    )
    static let maximumAge = OptionSpec(
        "max-age",
        value: "TIME",
        help: "discard records older than this, such as 12h or 7d; 0 for never [0]"
    )
}
