/// One command as it is typed and explained. The parser, the help, the manual page and the completions are made from it.
package struct CommandSpec: Sendable {
    struct Argument: Sendable {
        let name: String
        var isOptional = false
        /// Whether there may be several; only of the last argument.
        var isRepeated = false
        var completion = Completion.nothing
    }

    struct Example: Sendable {
        let line: String
        let meaning: String
    }

    package let name: String
    /// One line.
    let summary: String
    var arguments: [Argument] = []
    var options: [OptionSpec] = []
    /// Whether it ends by a signal only.
    var runsUntilStopped = false
    /// Paragraphs, with an empty line between them.
    var details = ""
    let examples: [Example]

    /// As in `kinesis-recorder save STREAM [OPTION...]`.
    var usage: String {
        let words = arguments.map { argument in
            let name = argument.isRepeated ? "\(argument.name)..." : argument.name
            return argument.isOptional ? "[\(name)]" : name
        }
        let options = options.isEmpty ? [] : ["[OPTION...]"]
        return ([Program.name, name] + words + options).joined(separator: " ")
    }

    /// The options of the command, `--help` included.
    package var allOptions: [OptionSpec] { options + [.help] }
}

/// The words that a shell offers for an argument or the value of an option.
enum Completion: Sendable {
    case nothing, files, directories
    /// The names of the commands.
    case commands
    case words([String])
}

/// The commands of the program, in the order of the help text.
package struct CommandTable: Sendable {
    package let commands: [CommandSpec]

    var names: [String] { commands.map(\.name) }

    package func command(_ name: String) -> CommandSpec? {
        commands.first { $0.name == name }
    }
}
