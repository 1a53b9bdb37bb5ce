/// What was typed, checked against the table.
struct Invocation: Sendable {
    let command: CommandSpec
    let arguments: [String]
    private let values: [String: String]

    init(_ command: CommandSpec, arguments: [String] = [], values: [String: String] = [:]) {
        self.command = command
        self.arguments = arguments
        self.values = values
    }

    func has(_ option: OptionSpec) -> Bool { values[option.name] != nil }

    func value(_ option: OptionSpec) -> String? { values[option.name] }
}

/// Reads words into an invocation, by the table alone.
///
/// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, flags in a row (`-qs`), `--` before words that begin with a dash.
/// An option may come anywhere after its command.
struct ArgumentParser {
    private let command: CommandSpec
    private var words: ArraySlice<String>
    private var arguments: [String] = []
    private var values: [String: String] = [:]

    static func parse(_ words: [String]) throws(CommandFailure) -> Invocation {
        switch words.first {
        case nil, "--help", "-h": return Invocation(try command(named: "help"))
        case "--version", "-V": return Invocation(version)
        case let name?:
            var parser = ArgumentParser(try command(named: name), words.dropFirst())
            return try parser.run()
        }
    }

    private static let version = CommandSpec(
        name: "--version",
        summary: "print the version",
        examples: [],
        run: { (session) throws(CommandFailure) in
            session.console.print(CommandTable.versionLine)
            return .success
        }
    )

    private static func command(named name: String) throws(CommandFailure) -> CommandSpec {
        if let command = CommandTable.command(name) { return command }
        let what = name.hasPrefix("-") ? "option" : "command"
        let known = CommandTable.all.map(\.name) + ["--help", "--version"]
        throw CommandFailure(
            .usage,
            "there is no \(what) \(name).\(Suggestions.hint(for: name, in: known)) `\(CommandTable.program) help` lists them all."
        )
    }

    private init(_ command: CommandSpec, _ words: ArraySlice<String>) {
        self.command = command
        self.words = words
    }

    private mutating func run() throws(CommandFailure) -> Invocation {
        while let word = words.popFirst() {
            if word == "--" {
                arguments += words
                words = []
            } else if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2))
            } else if word.hasPrefix("-"), word.count > 1 {
                try takeLetters(word.dropFirst())
            } else {
                arguments.append(word)
            }
        }
        if values[OptionSpec.help.name] != nil {
            return Invocation(try Self.command(named: "help"), arguments: [command.name])
        }
        try checkArguments()
        return Invocation(command, arguments: arguments, values: values)
    }

    private mutating func takeLong(_ text: Substring) throws(CommandFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = command.allOptions.first(where: { $0.name == parts[0] }) else {
            let hint = Suggestions.hint(for: "--\(parts[0])", in: command.allOptions.map { "--\($0.name)" })
            throw unusable("there is no option --\(parts[0]).\(hint)")
        }
        try take(option, parts.count > 1 ? String(parts[1]) : nil)
    }

    private mutating func takeLetters(_ text: Substring) throws(CommandFailure) {
        var rest = text
        while let letter = rest.popFirst() {
            guard let option = command.allOptions.first(where: { $0.letter == letter }) else {
                throw unusable("there is no option -\(letter).")
            }
            if option.value != nil, !rest.isEmpty {
                try take(option, String(rest))
                return
            }
            try take(option, nil)
        }
    }

    private mutating func take(_ option: OptionSpec, _ attached: String?) throws(CommandFailure) {
        guard let placeholder = option.value else {
            guard attached == nil else { throw unusable("--\(option.name) takes no value.") }
            values[option.name] = ""
            return
        }
        guard let value = attached ?? words.popFirst() else {
            throw unusable("--\(option.name) needs a value: --\(option.name) \(placeholder).")
        }
        values[option.name] = value
    }

    private func checkArguments() throws(CommandFailure) {
        let needed = command.arguments.filter { !$0.isOptional }
        if arguments.count < needed.count {
            throw unusable("\(needed[arguments.count].name) is missing.")
        }
        if arguments.count > command.arguments.count {
            throw unusable("\"\(arguments[command.arguments.count])\" is one word too many.")
        }
    }

    private func unusable(_ what: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(command.name): \(what)",
            hint: "usage: \(command.usage)\n`\(CommandTable.program) \(command.name) --help` explains it."
        )
    }
}
