import LineRecords
import RecorderStore

extension RecordRules {
    /// The options of a command that makes records of lines.
    static let options: [OptionSpec] = [
        .partitionKeyField, .partitionKeyPattern, .multilineStart, .skipEmpty, .dropMatching, .keepMatching,
    ]

    /// What the options of a command say.
    init(_ invocation: Invocation, service: StreamServiceDescription) throws(CommandFailure) {
        self.init()
        delimiter = try Self.delimiter(invocation.value(.delimiter) ?? "\\n")
        keepsDelimiter = invocation.has(.keepDelimiter) || invocation.has(.firehose)
        key = try Self.key(invocation, service: service)
        multilineStart = try invocation.pattern(.multilineStart)
        skipsEmpty = invocation.has(.skipEmpty)
        dropped = try invocation.pattern(.dropMatching)
        kept = try invocation.pattern(.keepMatching)
    }

    private static func delimiter(_ text: String) throws(CommandFailure) -> UInt8? {
        switch text {
        case "none": return nil
        case "\\n": return UInt8(ascii: "\n")
        case "\\r": return UInt8(ascii: "\r")
        case "\\t": return UInt8(ascii: "\t")
        case "\\0": return 0
        default:
            if text.hasPrefix("\\x"), text.count == 4, text.dropFirst(2).allSatisfy(\.isHexDigit),
                let byte = UInt8(text.dropFirst(2), radix: 16)
            {
                return byte
            }
            guard text.utf8.count == 1, let byte = text.utf8.first else {
                throw CommandFailure(
                    .usage,
                    message: "--delimiter \(text): give one ASCII character, \\n, \\r, \\t, \\0, \\xHH or none."
                )
            }
            return byte
        }
    }

    private static func key(
        _ invocation: Invocation,
        service: StreamServiceDescription
    ) throws(CommandFailure) -> Key? {
        let given = [OptionSpec.partitionKey, .partitionKeyField, .partitionKeyPattern].filter { invocation.has($0) }
        if given.count > 1 {
            throw CommandFailure(
                .usage,
                message: "--\(given[0].name) and --\(given[1].name): a record has one key. Give one of these options."
            )
        }
        if let option = given.first, !service.sendsPartitionKey {
            throw CommandFailure(
                .usage,
                message: "--\(option.name): Firehose has no partition keys. Leave out this option or --firehose."
            )
        }
        if let name = invocation.value(.partitionKeyField) { return .field(name) }
        return try invocation.pattern(.partitionKeyPattern).map(Key.pattern)
    }
}

extension Invocation {
    fileprivate func pattern(_ option: OptionSpec) throws(CommandFailure) -> LinePattern? {
        guard let text = value(option) else { return nil }
        do throws(PatternError) {
            return try LinePattern(text)
        } catch {
            throw CommandFailure(.usage, message: "--\(option.name) \(text): \(error.message)")
        }
    }
}

extension OptionSpec {
    static let partitionKeyField = OptionSpec(
        "partition-key-field",
        value: "NAME",
        help: "the partition key is this member of the JSON object in each record, a string or a number"
    )
    static let partitionKeyPattern = OptionSpec(
        "partition-key-regex",
        value: "REGEX",
        help:
            "the partition key is what the first group of REGEX matches in each record, or all of REGEX if it has no group"
    )
    static let multilineStart = OptionSpec(
        "multiline-start",
        value: "REGEX",
        help: "a record begins at a line that REGEX matches; other lines belong to the record before"
    )
    static let skipEmpty = OptionSpec("skip-empty", help: "leave out empty records")
    static let dropMatching = OptionSpec(
        "drop-matching",
        value: "REGEX",
        help: "leave out records in which REGEX matches"
    )
    static let keepMatching = OptionSpec(
        "keep-matching",
        value: "REGEX",
        help: "leave out records in which REGEX does not match"
    )
}
