/// Parses the words of a command line by the table alone.
///
/// `--name VALUE`, `--name=VALUE`, `--flag=choice`, `-n VALUE`, `-nVALUE`, combined flags (`-qs`), `--` before words that begin
/// with a dash. Options may come anywhere after the command.
struct ArgumentParser {
    private let command: CommandSpec
    private var words: ArraySlice<String>
    private var arguments: [String] = []
    private var values: [String: [String]] = [:]

    static func parse(_ words: [String], by table: CommandTable) throws(CommandFailure) -> Invocation {
        let help = "help"
        switch words.first {
        case nil, "--help", "-h": return Invocation(try table.existing(help))
        case "--version", "-V": return Invocation(try table.existing("version"))
        case let name?:
            var parser = ArgumentParser(command: try table.existing(name), words: words.dropFirst())
            try parser.run()
            if parser.values[OptionSpec.help.name] != nil {
                return Invocation(try table.existing(help), arguments: [name])
            }
            try parser.checkArguments()
            return Invocation(parser.command, arguments: parser.arguments, values: parser.values)
        }
    }

    private init(command: CommandSpec, words: ArraySlice<String>) {
        self.command = command
        self.words = words
    }

    private mutating func run() throws(CommandFailure) {
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
    }

    private mutating func takeLong(_ text: Substring) throws(CommandFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = command.allOptions.first(where: { $0.name == parts[0] }) else {
            let hint = Suggestions.hint(for: "--\(parts[0])", in: command.allOptions.map { "--\($0.name)" })
            throw failure("there is no option --\(parts[0]).\(hint)")
        }
        try take(option, attached: parts.count > 1 ? String(parts[1]) : nil)
    }

    private mutating func takeLetters(_ text: Substring) throws(CommandFailure) {
        var rest = text
        while let letter = rest.popFirst() {
            guard let option = command.allOptions.first(where: { $0.letter == letter }) else {
                throw failure("there is no option -\(letter).")
            }
            if option.value != nil, !rest.isEmpty {
                try take(option, attached: String(rest))
                return
            }
            try take(option, attached: nil)
        }
    }

    private mutating func take(_ option: OptionSpec, attached: String?) throws(CommandFailure) {
        guard let placeholder = option.value else {
            guard attached == nil || attached == option.choice else {
                let choice = option.choice.map { " but \($0): --\(option.name)=\($0)" } ?? ""
                throw failure("--\(option.name) takes no value\(choice).")
            }
            try add(attached ?? "", to: option)
            return
        }
        guard let value = attached ?? words.popFirst() else {
            throw failure("--\(option.name) needs a value: --\(option.name) \(placeholder).")
        }
        // As from a script whose variable is not set.
        guard !value.isEmpty else { throw failure("the value of --\(option.name) is empty: give \(placeholder).") }
        try add(value, to: option)
    }

    private mutating func add(_ value: String, to option: OptionSpec) throws(CommandFailure) {
        if let earlier = values[option.name]?.last, !option.isRepeated {
            guard earlier != value else { return }
            let words = [earlier, value].map { $0.isEmpty ? "without a value" : "as \($0)" }.joined(separator: " and ")
            throw failure("--\(option.name) is given twice, \(words). Give one of them.")
        }
        values[option.name, default: []].append(value)
    }

    private func checkArguments() throws(CommandFailure) {
        let needed = command.arguments.filter { !$0.isOptional }
        if arguments.count < needed.count {
            throw failure("\(needed[arguments.count].name) is missing.")
        }
        if let empty = arguments.firstIndex(of: ""), let last = command.arguments.indices.last {
            throw failure("\(command.arguments[min(empty, last)].name) is empty.")
        }
        if arguments.count > command.arguments.count, command.arguments.last?.isRepeated != true {
            throw failure("\"\(arguments[command.arguments.count])\" is one argument too many.")
        }
    }

    private func failure(_ text: String) -> CommandFailure {
        CommandFailure(
            .usage,
            message: "\(command.name): \(text)",
            hint: "usage: \(command.usage)\n`\(Program.name) \(command.name) --help` explains it."
        )
    }
}

extension CommandTable {
    fileprivate func existing(_ name: String) throws(CommandFailure) -> CommandSpec {
        if let command = command(name) { return command }
        let what = name.hasPrefix("-") ? "option" : "command"
        let hint = Suggestions.hint(for: name, in: names + ["--help", "--version"])
        guard !name.isEmpty else { throw CommandFailure(.usage, message: "the name of the command is empty.") }
        throw CommandFailure(
            .usage,
            message: "there is no \(what) \(name).\(hint) `\(Program.name) help` lists all commands."
        )
    }
}
