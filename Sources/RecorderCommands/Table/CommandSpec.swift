/// One command: how it is typed, what it does, an example, and the code behind it.
package struct CommandSpec: Sendable {
    struct Argument: Sendable {
        let name: String
        let isOptional: Bool
        var words: [String] = []
    }

    package let name: String
    /// One line.
    let summary: String
    var arguments: [Argument] = []
    var options: [OptionSpec] = []
    /// A paragraph or more.
    var details = ""
    var examples: [Example]
    let run: @Sendable (Session) async throws(CommandFailure) -> ExitStatus

    struct Example: Sendable {
        let line: String
        let meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// As in `kinesis-recorder save STREAM [OPTION...]`.
    var usage: String {
        let words = arguments.map { $0.isOptional ? "[\($0.name)]" : $0.name }
        let options = options.isEmpty ? [] : ["[OPTION...]"]
        return (["kinesis-recorder", name] + words + options).joined(separator: " ")
    }

    /// What may be typed after the command, `--help` included.
    package var allOptions: [OptionSpec] { options + [.help] }
}
