/// `help [COMMAND]`: the help texts and the manual page.
struct HelpCommand: Command {
    static let spec = CommandSpec(
        name: "help",
        summary: "explain the program or a command",
        arguments: [.init(name: "COMMAND", isOptional: true, completion: .commands)],
        options: [.man],
        examples: [.init(line: "kinesis-recorder help --man | man -l -", meaning: "the manual page")]
    )

    let session: Session

    func run() throws(CommandFailure) -> ExitStatus {
        session.console.print(try text())
        return .success
    }

    private func text() throws(CommandFailure) -> String {
        let table = session.table
        if session.invocation.has(.man) { return ManPage(table).text }
        guard let name = session.invocation.arguments.first else { return HelpText.overview(of: table) }
        guard let command = table.command(name) else {
            let hint = Suggestions.hint(for: name, in: table.names)
            throw CommandFailure(.usage, message: "there is no command \(name).\(hint)")
        }
        return HelpText.text(of: command)
    }
}

/// `version`, `--version`.
struct VersionCommand: Command {
    static let spec = CommandSpec(
        name: "version",
        summary: "print the version",
        examples: [.init(line: "kinesis-recorder version", meaning: "the same as --version")]
    )

    let session: Session

    func run() -> ExitStatus {
        session.console.print(Program.versionLine)
        return .success
    }
}

extension OptionSpec {
    fileprivate static let man = OptionSpec("man", help: "print the manual page, in the format of man(1)")
}

/// The help texts, made from the table.
package enum HelpText {
    private static let width = 79

    static func overview(of table: CommandTable) -> String {
        let commands = table.commands.map { ($0.name, $0.summary) }
        let statuses = ExitStatus.meanings.map { ($0.number, $0.meaning) }
        return """
            \(Program.name): \(Program.summary)

            usage: \(Program.name) COMMAND [ARGUMENT...] [OPTION...]

            \(list(commands))

            `\(Program.name) COMMAND --help` explains a command; --version prints the version.

            Region and credentials come from the environment: AWS_REGION, AWS_ACCESS_KEY_ID,
            AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; otherwise from ~/.aws; for a
            device with a certificate, from AWS_IOT_CORE_CREDENTIAL_ENDPOINT and the
            others in the manual page; otherwise from a container or the EC2 instance.
            `\(Program.name) doctor` checks them.

            exit status:
            \(list(statuses))
            """
    }

    package static func text(of command: CommandSpec) -> String {
        var parts = ["\(Program.name) \(command.name): \(command.summary)", "usage: \(command.usage)"]
        let choices = command.arguments.compactMap { argument -> (String, String)? in
            guard case .words(let words) = argument.completion else { return nil }
            return (argument.name, "one of " + words.joined(separator: ", "))
        }
        if !choices.isEmpty { parts.append(list(choices)) }
        parts.append(list(command.allOptions.map { ($0.letter == nil ? "    \($0.usage)" : $0.usage, $0.help) }))
        if !command.details.isEmpty {
            parts += command.details.split(separator: "\n\n").map { wrapped(String($0), indent: 0) }
        }
        let title = command.examples.count == 1 ? "example:" : "examples:"
        parts.append(([title] + command.examples.map { "  \($0.line)\n      \($0.meaning)" }).joined(separator: "\n"))
        return parts.joined(separator: "\n\n")
    }

    /// Two columns. A long left cell gets a line of its own.
    private static func list(_ rows: [(String, String)]) -> String {
        let column = min(rows.map(\.0.count).max() ?? 0, 24) + 4
        return rows.map { left, right in
            let text = wrapped(right, indent: column)
            guard left.count + 2 < column else { return "  \(left)\n\(text)" }
            return "  \(left)" + String(text.dropFirst(left.count + 2))
        }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String, indent: Int) -> String {
        var lines = [""]
        for word in text.split(whereSeparator: \.isWhitespace) {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if indent + line.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }
}
