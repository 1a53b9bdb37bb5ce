import RecorderStore

/// A command line that was checked against the table.
struct Invocation: Sendable {
    let command: CommandSpec
    let arguments: [String]
    /// By the name of the option, in order; an empty text for a flag, or its choice.
    private let values: [String: [String]]

    init(_ command: CommandSpec, arguments: [String] = [], values: [String: [String]] = [:]) {
        self.command = command
        self.arguments = arguments
        self.values = values
    }

    func has(_ option: OptionSpec) -> Bool { values[option.name] != nil }

    /// Whether a flag was given with its choice.
    func hasChoice(_ option: OptionSpec) -> Bool { option.choice != nil && value(option) == option.choice }

    /// The last value that was given.
    func value(_ option: OptionSpec) -> String? { values[option.name]?.last }

    /// Every value that was given.
    func allValues(_ option: OptionSpec) -> [String] { values[option.name] ?? [] }

    /// Refuses several options of which only one has a meaning, or one beside the command's argument.
    func checkExclusion(of options: [OptionSpec], andArgument: Bool = false) throws(CommandFailure) {
        let argument = andArgument && !arguments.isEmpty ? command.arguments.first?.name : nil
        let given = [argument].compactMap(\.self) + options.filter(has).map { "--\($0.name)" }
        guard given.count > 1 else { return }
        let list = given.joined(separator: " and ")
        throw CommandFailure(.usage, message: "\(list) exclude each other. Give one of them.")
    }
}

// MARK: values of other types; nil where the option was not given

extension Invocation {
    func number(_ option: OptionSpec, from minimum: Int, to maximum: Int = .max) throws(CommandFailure) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), (minimum...maximum).contains(number) else {
            let range = maximum == .max ? "of at least \(minimum)" : "from \(minimum) to \(Formatting.count(maximum))"
            throw CommandFailure(.usage, message: "--\(option.name) \(text): give a number \(range).")
        }
        return number
    }

    func byteCount(_ option: OptionSpec) throws(CommandFailure) -> ByteCount? {
        guard let text = value(option) else { return nil }
        guard let bytes = ByteCount(typed: text) else {
            throw CommandFailure(
                .usage,
                message:
                    "--\(option.name) \(text): give a number of bytes, or a size such as 500K, 20M or 2G; at most 16T."
            )
        }
        return bytes
    }

    /// A number of bytes from 1 to a limit of the service.
    func byteCount(_ option: OptionSpec, atMost maximum: Int) throws(CommandFailure) -> Int? {
        guard let bytes = try byteCount(option)?.bytes else { return nil }
        guard (1...maximum).contains(bytes) else {
            throw CommandFailure(
                .usage,
                message:
                    "--\(option.name) \(value(option) ?? ""): give a size from 1 to \(Formatting.count(maximum)) bytes "
                    + "(\(ByteCount(maximum))), the limit of the service."
            )
        }
        return bytes
    }

    func duration(
        _ option: OptionSpec,
        from minimum: Duration = .zero,
        to maximum: Duration = .seconds(36_500 * 86_400)
    ) throws(CommandFailure) -> Duration? {
        guard let text = value(option) else { return nil }
        guard let time = Duration(typed: text), (minimum...maximum).contains(time) else {
            let range = "from \(Formatting.age(minimum)) to \(Formatting.age(maximum))"
            throw CommandFailure(
                .usage,
                message: "--\(option.name) \(text): give seconds, or a time such as 90s, 15m, 12h or 7d; \(range)."
            )
        }
        return time
    }
}
