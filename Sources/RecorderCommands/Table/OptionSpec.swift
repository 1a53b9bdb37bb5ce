/// One option as it is typed, explained and completed; said once, used by parser, help, man page and completions.
package struct OptionSpec: Sendable {
    /// What a shell offers for the option's value.
    enum Completion: Sendable {
        case nothing, files, directories
        case words([String])
    }

    /// Without the dashes.
    package let name: String
    package let letter: Character?
    /// What stands for the value in help texts; nil for an option that takes none.
    let value: String?
    let help: String
    let completion: Completion

    init(
        _ name: String,
        _ letter: Character? = nil,
        value: String? = nil,
        completion: Completion = .nothing,
        help: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.completion = completion
        self.help = help
    }

    /// As in `-f, --file FILE`.
    var usage: String {
        let spelled = letter.map { "-\($0), --\(name)" } ?? "--\(name)"
        return value.map { "\(spelled) \($0)" } ?? spelled
    }
}

extension OptionSpec {
    // MARK: which store

    static let firehose = OptionSpec("firehose", "F", help: "Firehose delivery streams instead of Kinesis data streams")
    static let directory = OptionSpec(
        "directory",
        "d",
        value: "DIR",
        completion: .directories,
        help: "where the records lie; else $AWS_KINESIS_RECORDER_DIR, else a folder of --name in $STATE_DIRECTORY, "
            + "$XDG_STATE_HOME or ~/.local/state"
    )
    static let name = OptionSpec(
        "name",
        "n",
        value: "PROGRAM",
        help: "the program whose store it is, if that lies in its default place [kinesis-recorder]"
    )
    static let key = OptionSpec(
        "key",
        "k",
        value: "KEY",
        help: "the recorder's key, if it was registered under one"
    )
    static let onlyKinesis = OptionSpec("kinesis", "K", help: "only the Kinesis store [both]")
    static let onlyFirehose = OptionSpec("firehose", "F", help: "only the Firehose store [both]")

    // MARK: where to send

    static let region = OptionSpec(
        "region",
        "r",
        value: "REGION",
        help: "the AWS region [$AWS_REGION, $AWS_DEFAULT_REGION]"
    )
    static let endpoint = OptionSpec(
        "endpoint-url",
        value: "URL",
        help:
            "another address than AWS's own [$AWS_ENDPOINT_URL_KINESIS, $AWS_ENDPOINT_URL_FIREHOSE, $AWS_ENDPOINT_URL]"
    )
    static let profile = OptionSpec(
        "profile",
        value: "NAME",
        help: "the profile in ~/.aws/config and ~/.aws/credentials [$AWS_PROFILE, else default]"
    )
    static let requestTimeout = OptionSpec(
        "request-timeout",
        value: "TIME",
        help: "the longest that one request may take, as in 90s or 10m [10m, or its size at 4 KiB a second]"
    )
    static let readTimeout = OptionSpec(
        "read-timeout",
        value: "TIME",
        help: "how long a request may move less than 1 byte a second [60s]"
    )
    static let requests = OptionSpec(
        "requests",
        value: "N",
        help: "requests of one stream on their way at once; more than 1 is faster and gives up the order of records [1]"
    )
    static let gzip = OptionSpec("gzip", help: "send request bodies compressed")
    static let watch = OptionSpec(
        "watch",
        "w",
        value: "SECONDS",
        help: "submit again after so many seconds, until stopped"
    )

    // MARK: what to save

    static let file = OptionSpec(
        "file",
        "f",
        value: "FILE",
        completion: .files,
        help: "read FILE instead of standard input"
    )
    static let fromByte = OptionSpec(
        "from-byte",
        value: "N",
        help: "begin at this byte of FILE: where a save that ended early says that the rest begins [0]"
    )
    static let delimiter = OptionSpec(
        "delimiter",
        value: "BYTE",
        completion: .words(["\\n", "\\0", "\\t", "none"]),
        help: "what ends a record: one character, \\n, \\r, \\t, \\0, \\xHH, or none for one record in all [\\n]"
    )
    static let keepDelimiter = OptionSpec(
        "keep-delimiter",
        help: "leave the delimiter at each record's end; always so with --firehose, which joins records"
    )
    static let partitionKey = OptionSpec(
        "partition-key",
        "p",
        value: "KEY",
        help: "one key for all records, which keeps them in one shard and in order [a random one each]"
    )
    static let submit = OptionSpec("submit", "s", help: "send while saving, and what is left at the end")
    static let limit = OptionSpec(
        "limit",
        value: "SIZE",
        help: "what may lie in the store, as in 500M or 2G; the oldest records go beyond it; 0 for no limit [1G]"
    )
    static let maximumAge = OptionSpec(
        "max-age",
        value: "TIME",
        help: "the age at which records are discarded, as in 12h or 7d; 0 for none [0]"
    )

    // MARK: the rest

    static let quiet = OptionSpec("quiet", "q", help: "print errors only")
    static let json = OptionSpec("json", help: "print JSON")
    static let yes = OptionSpec("yes", "y", help: "do not ask")
    static let offline = OptionSpec("offline", help: "check this machine only, send nothing")
    static let man = OptionSpec("man", help: "print the manual page, in the form that man(1) reads")
    static let help = OptionSpec("help", "h", help: "explain the command")

    static let store = [directory, name, key]
    static let service = [region, profile, endpoint, requestTimeout, readTimeout]
}
