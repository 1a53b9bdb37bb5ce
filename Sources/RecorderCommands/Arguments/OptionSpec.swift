/// One option as it is typed, explained and completed.
package struct OptionSpec: Sendable {
    /// Without the dashes.
    package let name: String
    package let letter: Character?
    /// The placeholder of the value in help texts; nil for a flag.
    let value: String?
    /// What a flag may be given as after `=`, as in `--aggregate=force`.
    let choice: String?
    let isRepeated: Bool
    let help: String
    let completion: Completion

    init(
        _ name: String,
        letter: Character? = nil,
        value: String? = nil,
        choice: String? = nil,
        isRepeated: Bool = false,
        completion: Completion = .nothing,
        help: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.choice = choice
        self.isRepeated = isRepeated
        self.completion = completion
        self.help = help
    }

    /// As in `-f, --file FILE`.
    var usage: String {
        let spelled = (letter.map { "-\($0), --\(name)" } ?? "--\(name)") + (choice.map { "[=\($0)]" } ?? "")
        return value.map { "\(spelled) \($0)" } ?? spelled
    }
}

extension OptionSpec {
    // MARK: which store

    static let firehose = OptionSpec(
        "firehose",
        letter: "F",
        help: "Firehose delivery streams instead of Kinesis data streams"
    )
    static let directory = OptionSpec(
        "directory",
        letter: "d",
        value: "DIR",
        completion: .directories,
        help: "the directory of the store [$AWS_KINESIS_RECORDER_DIR, else a folder named after --name in "
            + "$STATE_DIRECTORY, $XDG_STATE_HOME or ~/.local/state]"
    )
    static let name = OptionSpec(
        "name",
        letter: "n",
        value: "PROGRAM",
        help: "the program that the store belongs to, if it is in its default directory [kinesis-recorder]"
    )
    static let key = OptionSpec(
        "key",
        letter: "k",
        value: "KEY",
        help: "the key of the recorder, if it was registered with one"
    )
    static let onlyKinesis = OptionSpec("kinesis", letter: "K", help: "only the Kinesis store [both]")
    static let onlyFirehose = OptionSpec("firehose", letter: "F", help: "only the Firehose store [both]")
    static let store = [directory, name, key]
    static let stream = OptionSpec(
        "stream",
        letter: "s",
        value: "STREAM",
        isRepeated: true,
        help: "only the records of this stream, a name or an ARN; may be given several times [all]"
    )

    // MARK: where to send

    static let region = OptionSpec(
        "region",
        letter: "r",
        value: "REGION",
        help: "the AWS region [$AWS_REGION, $AWS_DEFAULT_REGION]"
    )
    static let endpoint = OptionSpec(
        "endpoint-url",
        value: "URL",
        help:
            "the address of the service [$AWS_ENDPOINT_URL_KINESIS, $AWS_ENDPOINT_URL_FIREHOSE, $AWS_ENDPOINT_URL, else AWS]"
    )
    static let profile = OptionSpec(
        "profile",
        value: "NAME",
        help:
            "the profile in ~/.aws/config and ~/.aws/credentials, instead of keys in the environment [$AWS_DEFAULT_PROFILE, "
            + "$AWS_PROFILE, else default]"
    )
    static let requestTimeout = OptionSpec(
        "request-timeout",
        value: "TIME",
        help: "the time limit of one request, such as 90s or 10m [10m, or longer for a large one: 4 KiB a second]"
    )
    static let readTimeout = OptionSpec(
        "read-timeout",
        value: "TIME",
        help:
            "the time after which a request ends in which less than 1 byte a second was sent, received or acknowledged [60s]"
    )
    static let requests = OptionSpec(
        "requests",
        value: "N",
        help:
            "concurrent requests for each stream, up to 64; several are faster, but records may arrive out of order [1]"
    )
    static let batchSize = OptionSpec(
        "batch-size",
        value: "SIZE",
        help: "the maximum size of the records in one request, up to 10M for Kinesis and 4M for Firehose [4M]"
    )
    static let rate = OptionSpec(
        "rate",
        value: "SIZE",
        help: """
            the most bytes of request bodies in a second to each service, on average, from 1K on, such as 20K for a metered link \
            [no limit]
            """
    )
    static let omitKeys = OptionSpec(
        "omit-keys",
        help:
            "send records that were saved without a partition key without one, to Kinesis streams that distribute records by "
            + "themselves (AUTO)"
    )
    static let randomKeys = OptionSpec(
        "random-keys",
        help:
            "send records that were saved without a partition key with a random one, instead of one by which consumers and "
            + "`audit` tell which record it is"
    )
    static let keepRejected = OptionSpec(
        "keep-rejected",
        help:
            "keep copies of records that the service does not accept: `rejected` shows them, exports them or puts them back"
    )
    static let gzip = OptionSpec("gzip", help: "send request bodies compressed")
    static let cbor = OptionSpec(
        "cbor",
        help: "send binary requests (CBOR), a quarter smaller, to Kinesis; not yet tried against AWS [JSON]"
    )
    /// Sends nothing and asks no other machine.
    static let offline = OptionSpec("offline", help: "check this machine only, send nothing")
    static let service = [region, profile, endpoint, requestTimeout, readTimeout]
    /// How records are sent.
    static let sending =
        [requests, gzip, cbor, batchSize, rate, omitKeys, randomKeys, keepRejected] + entries

    static let submit = OptionSpec("submit", letter: "s", help: "send while saving, and send the rest at the end")
    static let watch = OptionSpec(
        "watch",
        letter: "w",
        value: "TIME",
        help: "submit again after a time such as 30s, 5m or 1h, until stopped"
    )

    // MARK: output and help

    static let quiet = OptionSpec("quiet", letter: "q", help: "print errors only")
    static let json = OptionSpec("json", help: "print JSON")
    static let yes = OptionSpec("yes", letter: "y", help: "do not ask for confirmation")
    static let summary = OptionSpec(
        "json",
        help:
            "print one JSON object at the end: the records saved, delivered, discarded, refused and left, and the duration"
    )
    static let help = OptionSpec("help", letter: "h", help: "explain the command")
}
