/// `completions SHELL`: prints the completions for a shell.
struct CompletionsCommand: Command {
    private static let shells = ["bash", "zsh", "fish"]

    static let spec = CommandSpec(
        name: "completions",
        summary: "print the completions for a shell",
        arguments: [.init(name: "SHELL", completion: .words(shells))],
        examples: [.init(line: "source <(kinesis-recorder completions bash)", meaning: "for this shell")]
    )

    let session: Session

    func run() throws(CommandFailure) -> ExitStatus {
        let shell = session.invocation.arguments[0]
        let completions = Completions(session.table)
        switch shell {
        case "bash": session.console.print(completions.bash)
        case "zsh": session.console.print(completions.zsh)
        case "fish": session.console.print(completions.fish)
        default:
            let hint = Suggestions.hint(for: shell, in: Self.shells)
            throw CommandFailure(
                .usage,
                message:
                    "there are no completions for \(shell).\(hint) The shells are \(Self.shells.joined(separator: ", "))."
            )
        }
        return .success
    }
}

/// The completions, made from the table.
package struct Completions {
    private let table: CommandTable

    package init(_ table: CommandTable) {
        self.table = table
    }

    private var program: String { Program.name }

    /// The words for a first argument, or for the value of an option.
    private func words(_ completion: Completion) -> [String] {
        switch completion {
        case .nothing, .files, .directories: []
        case .commands: table.names
        case .words(let words): words
        }
    }

    private func isFile(_ argument: CommandSpec.Argument) -> Bool {
        if case .files = argument.completion { true } else { false }
    }

    private func words(of command: CommandSpec) -> [String] {
        command.arguments.first.map { words($0.completion) } ?? []
    }

    // MARK: bash

    package var bash: String {
        """
        # bash completion for \(program); made by `\(program) completions bash`
        _kinesis_recorder() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(table.names.joined(separator: " ")) --help --version" -- "$word"))
                return
            fi
            case "${COMP_WORDS[1]}:$before" in
        \(table.commands.flatMap(bashValues).joined(separator: "\n"))
            esac
            case "${COMP_WORDS[1]}" in
        \(table.commands.map(bashWords).joined(separator: "\n"))
            esac
        }
        complete -F _kinesis_recorder \(program)
        """
    }

    private func bashValues(of command: CommandSpec) -> [String] {
        var lines = command.options.filter { $0.value != nil }.map { option in
            let names = ([option.name].map { "--\($0)" } + [option.letter].compactMap { $0.map { "-\($0)" } })
            let pattern = names.map { "\(command.name):\($0)" }.joined(separator: "|")
            return "        \(pattern)) \(bashReply(option.completion))return ;;"
        }
        if command.arguments.contains(where: isFile) {
            lines.append("        \(command.name):\(command.name)) \(bashReply(.files))return ;;")
        }
        return lines
    }

    private func bashReply(_ completion: Completion) -> String {
        switch completion {
        case .nothing: ""
        case .files: "COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null; "
        case .directories: "COMPREPLY=($(compgen -d -- \"$word\")); compopt -o filenames 2>/dev/null; "
        case .commands, .words:
            // compgen removes one of two backslashes.
            "COMPREPLY=($(compgen -W '\(escapedWords(completion))' -- \"$word\")); "
        }
    }

    private func escapedWords(_ completion: Completion) -> String {
        words(completion).joined(separator: " ").replacing("\\", with: "\\\\")
    }

    private func bashWords(of command: CommandSpec) -> String {
        let options = command.allOptions.flatMap { option in
            ["--\(option.name)"] + [option.letter].compactMap { $0.map { "-\($0)" } }
        }
        let all = (words(of: command) + options).joined(separator: " ")
        return "        \(command.name)) COMPREPLY=($(compgen -W \"\(all)\" -- \"$word\")) ;;"
    }

    // MARK: zsh

    package var zsh: String {
        """
        #compdef \(program)
        # made by `\(program) completions zsh`
        _kinesis_recorder() {
            if (( CURRENT == 2 )); then
                local -a commands=(
        \(table.commands.map { "            '\($0.name):\(zshText($0.summary))'" }.joined(separator: "\n"))
                )
                _describe command commands
                return
            fi
            local command=$words[2]
            shift words
            (( CURRENT-- ))
            case $command in
        \(table.commands.map(zshCase).joined(separator: "\n"))
            esac
        }
        if [ "$funcstack[1]" = _kinesis_recorder ]; then _kinesis_recorder "$@"; else compdef _kinesis_recorder \
        \(program); fi
        """
    }

    private func zshCase(of command: CommandSpec) -> String {
        let options = command.allOptions.flatMap { option in
            (["--\(option.name)"] + [option.letter].compactMap { $0.map { "-\($0)" } }).map { name in
                let value = option.value.map { ":\($0):\(zshAction(option.completion))" } ?? ""
                return "'\(name)[\(zshText(option.help))]\(value)'"
            }
        }
        let arguments = command.arguments.enumerated().map { index, argument in
            "'\(argument.isRepeated ? "*" : "\(index + 1)"):\(argument.name):\(zshAction(argument.completion))'"
        }
        return "        \(command.name)) _arguments \((options + arguments).joined(separator: " ")) ;;"
    }

    private func zshAction(_ completion: Completion) -> String {
        switch completion {
        case .nothing: ""
        case .files: "_files"
        case .directories: "_files -/"
        case .commands, .words: "(\(escapedWords(completion)))"
        }
    }

    private func zshText(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
    }

    // MARK: fish

    package var fish: String {
        let commands = table.commands.map { command in
            "complete -c \(program) -n __fish_use_subcommand -a \(command.name) -d '\(fishText(command.summary))'"
        }
        let options = table.commands.flatMap { command in
            let rule = "complete -c \(program) -n '__fish_seen_subcommand_from \(command.name)'"
            let words = words(of: command)
            return command.allOptions.map { "\(rule) \(fishOption($0))" }
                + (words.isEmpty ? [] : ["\(rule) -a '\(words.joined(separator: " "))'"])
                + (command.arguments.contains(where: isFile) ? ["\(rule) -F"] : [])
        }
        return (["# made by `\(program) completions fish`", "complete -c \(program) -f"] + commands + options)
            .joined(separator: "\n")
    }

    private func fishOption(_ option: OptionSpec) -> String {
        var parts = ["-l \(option.name)"] + [option.letter].compactMap { $0.map { "-s \($0)" } }
        if option.value != nil { parts.append("-r") }
        switch option.completion {
        case .nothing: break
        case .files: parts.append("-F")
        case .directories: parts.append("-a '(__fish_complete_directories)'")
        case .commands, .words:
            parts.append("-a '\(fishText(words(option.completion).joined(separator: " ")))'")
        }
        return (parts + ["-d '\(fishText(option.help))'"]).joined(separator: " ")
    }

    private func fishText(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}
