import RecorderAWS

/// The manual page in section 1, made from the table: https://man7.org/linux/man-pages/man7/man.7.html
package enum ManPage {
    package static var text: String {
        let program = CommandTable.program
        return """
            .TH \(program.uppercased()) 1 "" "\(escaped(CommandTable.versionLine))" "User Commands"
            .SH NAME
            \(escaped(program)) \\- \(escaped(CommandTable.summary))
            .SH SYNOPSIS
            .B \(escaped(program))
            .I COMMAND
            [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]
            .SH DESCRIPTION
            Records wait on disk, for as long as it takes, and leave it only when the service has answered for them.
            Several processes may save to, and submit, the same store: this command and programs that use the
            recorders of swift\\-aws\\-recorder.
            .SH COMMANDS
            \(CommandTable.all.map(section).joined(separator: "\n"))
            .SH EXIT STATUS
            \(rows(ExitStatus.meanings.map { ($0.number, $0.meaning) }))
            .SH ENVIRONMENT
            \(rows(environment))
            .SH FILES
            \(rows(files))
            .SH SEE ALSO
            .BR systemd.timer (5),
            .BR sysexits (3)
            """
    }

    private static let environment = [
        ("AWS_REGION, AWS_DEFAULT_REGION", "The region, unless --region names it."),
        ("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "The credentials."),
        (
            "AWS_ENDPOINT_URL_KINESIS, AWS_ENDPOINT_URL_FIREHOSE, AWS_ENDPOINT_URL",
            "Another address than AWS's own, unless --endpoint-url names it."
        ),
        ("AWS_KINESIS_RECORDER_DIR", "Where records lie, unless --directory names it."),
        ("STATE_DIRECTORY, XDG_STATE_HOME, HOME", "Otherwise the first of these; the latter with .local/state."),
        ("https_proxy, no_proxy", "As in curl(1); no_proxy may also have [::1], and ports: [::1]:4566."),
        ("NO_COLOR, TERM", "TERM=dumb turns the progress bar into lines."),
    ]

    private static let files = [
        (
            "~/.local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/",
            "The stores, kinesis.db and firehose.db, and what SQLite and the locks need beside them."
        )
    ]

    private static func section(of command: CommandSpec) -> String {
        let options = command.allOptions.map { ($0.usage, $0.help) }
        let details = command.details.split(separator: "\n\n").map { ".PP\n\(escaped(String($0)))" }
        let examples = command.examples.map { example in
            ".PP\n\(escaped(example.meaning.prefix(1).uppercased() + example.meaning.dropFirst())):\n"
                + ".PP\n.nf\n.RS\n\(escaped(example.line))\n.RE\n.fi"
        }
        let head =
            ".SS \(escaped(command.usage))\n\(escaped(command.summary.prefix(1).uppercased() + command.summary.dropFirst()))."
        return ([head] + details + [rows(options)] + examples).joined(separator: "\n")
    }

    private static func rows(_ rows: [(String, String)]) -> String {
        rows.map { ".TP\n.B \(escaped($0.0))\n\(escaped($0.1))" }.joined(separator: "\n")
    }

    /// Dashes that can be copied, backslashes that are none of troff's, and no line that looks like a request.
    private static func escaped(_ text: some StringProtocol) -> String {
        var out = ""
        var isLineStart = true
        for character in text {
            if isLineStart, character == "." || character == "'" { out += "\\&" }
            switch character {
            case "\\": out += "\\e"
            case "-": out += "\\-"
            default: out.append(character)
            }
            isLineStart = character == "\n"
        }
        return out
    }
}
