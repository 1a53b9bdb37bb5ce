/// The help texts, made from the table.
package enum HelpText {
    private static let width = 79

    static func run(_ session: Session) throws(CommandFailure) -> ExitStatus {
        if session.invocation.has(.man) {
            session.console.print(ManPage.text)
        } else if let name = session.invocation.arguments.first {
            guard let command = CommandTable.command(name) else {
                let hint = Suggestions.hint(for: name, in: CommandTable.all.map(\.name))
                throw CommandFailure(.usage, "there is no command \(name).\(hint)")
            }
            session.console.print(text(of: command))
        } else {
            session.console.print(overview)
        }
        return .success
    }

    static var overview: String {
        let commands = CommandTable.all.map { ($0.name, $0.summary) }
        let statuses = ExitStatus.meanings.map { ($0.number, $0.meaning) }
        return """
            \(CommandTable.program): \(CommandTable.summary)

            usage: \(CommandTable.program) COMMAND [ARGUMENT...] [OPTION...]

            \(list(commands))

            `\(CommandTable.program) COMMAND --help` explains a command; --version prints the version.

            Where to send and as whom comes from the environment: AWS_REGION, AWS_ACCESS_KEY_ID,
            AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; `\(CommandTable.program) doctor` checks it.

            exit status:
            \(list(statuses))
            """
    }

    package static func text(of command: CommandSpec) -> String {
        var parts = ["\(CommandTable.program) \(command.name): \(command.summary)", "usage: \(command.usage)"]
        let words = command.arguments.filter { !$0.words.isEmpty }
        if !words.isEmpty { parts.append(list(words.map { ($0.name, "one of " + $0.words.joined(separator: ", ")) })) }
        parts.append(list(command.allOptions.map { ($0.letter == nil ? "    \($0.usage)" : $0.usage, $0.help) }))
        if !command.details.isEmpty {
            parts += command.details.split(separator: "\n\n").map { wrapped(String($0), indent: 0) }
        }
        let title = command.examples.count == 1 ? "example:" : "examples:"
        parts.append(([title] + command.examples.map { "  \($0.line)\n      \($0.meaning)" }).joined(separator: "\n"))
        return parts.joined(separator: "\n\n")
    }

    /// Two columns; a long left side has a line of its own.
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
