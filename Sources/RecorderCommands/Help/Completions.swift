/// Completions for the shells people use, made from the table.
package enum Completions {
    static let shells = ["bash", "zsh", "fish"]

    static func run(_ session: Session) throws(CommandFailure) -> ExitStatus {
        let shell = session.invocation.arguments[0]
        switch shell {
        case "bash": session.console.print(bash)
        case "zsh": session.console.print(zsh)
        case "fish": session.console.print(fish)
        default:
            throw CommandFailure(
                .usage,
                "there are no completions for \(shell).\(Suggestions.hint(for: shell, in: shells)) "
                    + "There are some for \(shells.joined(separator: ", "))."
            )
        }
        return .success
    }

    private static var commands: String { CommandTable.all.map(\.name).joined(separator: " ") }

    /// The words that the first argument of a command may be.
    private static func words(of command: CommandSpec) -> [String] {
        command.name == "help" ? CommandTable.all.map(\.name) : command.arguments.first?.words ?? []
    }

    // MARK: bash

    package static var bash: String {
        """
        # bash completion for \(CommandTable.program); made by `\(CommandTable.program) completions bash`
        _kinesis_recorder() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(commands) --help --version" -- "$word"))
                return
            fi
            case "${COMP_WORDS[1]}:$before" in
        \(CommandTable.all.flatMap(bashValues).joined(separator: "\n"))
            esac
            case "${COMP_WORDS[1]}" in
        \(CommandTable.all.map(bashWords).joined(separator: "\n"))
            esac
        }
        complete -F _kinesis_recorder \(CommandTable.program)
        """
    }

    private static func bashValues(of command: CommandSpec) -> [String] {
        var lines = command.options.filter { $0.value != nil }.map { option in
            let names = ([option.name].map { "--\($0)" } + [option.letter].compactMap { $0.map { "-\($0)" } })
            let pattern = names.map { "\(command.name):\($0)" }.joined(separator: "|")
            let reply =
                switch option.completion {
                case .nothing: ""
                case .files: "COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null; "
                case .directories: "COMPREPLY=($(compgen -d -- \"$word\")); compopt -o filenames 2>/dev/null; "
                case .words(let words):
                    // compgen takes one of two backslashes away.
                    "COMPREPLY=($(compgen -W '\(words.joined(separator: " ").replacing("\\", with: "\\\\"))' -- \"$word\")); "
                }
            return "        \(pattern)) \(reply)return ;;"
        }
        if command.name == "import" {
            lines.append(
                "        import:import) COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null; return ;;"
            )
        }
        return lines
    }

    private static func bashWords(of command: CommandSpec) -> String {
        let options = command.allOptions.flatMap { option in
            ["--\(option.name)"] + [option.letter].compactMap { $0.map { "-\($0)" } }
        }
        let all = (words(of: command) + options).joined(separator: " ")
        return "        \(command.name)) COMPREPLY=($(compgen -W \"\(all)\" -- \"$word\")) ;;"
    }

    // MARK: zsh

    package static var zsh: String {
        """
        #compdef \(CommandTable.program)
        # made by `\(CommandTable.program) completions zsh`
        _kinesis_recorder() {
            if (( CURRENT == 2 )); then
                local -a commands=(
        \(CommandTable.all.map { "            '\($0.name):\(zshText($0.summary))'" }.joined(separator: "\n"))
                )
                _describe command commands
                return
            fi
            local command=$words[2]
            shift words
            (( CURRENT-- ))
            case $command in
        \(CommandTable.all.map(zshCase).joined(separator: "\n"))
            esac
        }
        if [ "$funcstack[1]" = _kinesis_recorder ]; then _kinesis_recorder "$@"; else compdef _kinesis_recorder \
        \(CommandTable.program); fi
        """
    }

    private static func zshCase(of command: CommandSpec) -> String {
        let options = command.allOptions.flatMap { option in
            (["--\(option.name)"] + [option.letter].compactMap { $0.map { "-\($0)" } }).map { name in
                let value = option.value.map { ":\($0):\(zshAction(option.completion))" } ?? ""
                return "'\(name)[\(zshText(option.help))]\(value)'"
            }
        }
        let arguments = command.arguments.enumerated().map { index, argument in
            let words = words(of: command)
            let action = argument.name == "FILE" ? "_files" : words.isEmpty ? "" : "(\(words.joined(separator: " ")))"
            return "'\(index + 1):\(argument.name):\(action)'"
        }
        return "        \(command.name)) _arguments \((options + arguments).joined(separator: " ")) ;;"
    }

    private static func zshAction(_ completion: OptionSpec.Completion) -> String {
        switch completion {
        case .nothing: ""
        case .files: "_files"
        case .directories: "_files -/"
        case .words(let words): "(\(words.map { $0.replacing("\\", with: "\\\\") }.joined(separator: " ")))"
        }
    }

    private static func zshText(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
    }

    // MARK: fish

    package static var fish: String {
        let program = CommandTable.program
        let commands = CommandTable.all.map { command in
            "complete -c \(program) -n __fish_use_subcommand -a \(command.name) -d '\(fishText(command.summary))'"
        }
        let options = CommandTable.all.flatMap { command in
            let here = "complete -c \(program) -n '__fish_seen_subcommand_from \(command.name)'"
            let words = words(of: command)
            return command.allOptions.map { "\(here) \(fishOption($0))" }
                + (words.isEmpty ? [] : ["\(here) -a '\(words.joined(separator: " "))'"])
                + (command.name == "import" ? ["\(here) -F"] : [])
        }
        return (["# made by `\(program) completions fish`", "complete -c \(program) -f"] + commands + options)
            .joined(separator: "\n")
    }

    private static func fishOption(_ option: OptionSpec) -> String {
        var parts = ["-l \(option.name)"] + [option.letter].compactMap { $0.map { "-s \($0)" } }
        if option.value != nil { parts.append("-r") }
        switch option.completion {
        case .nothing: break
        case .files: parts.append("-F")
        case .directories: parts.append("-a '(__fish_complete_directories)'")
        case .words(let words): parts.append("-a '\(fishText(words.joined(separator: " ")))'")
        }
        return (parts + ["-d '\(fishText(option.help))'"]).joined(separator: " ")
    }

    private static func fishText(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}
