import RecorderAWS

/// The manual page in section 1, made from the table: https://man7.org/linux/man-pages/man7/man.7.html
package struct ManPage {
    private let table: CommandTable

    package init(_ table: CommandTable) {
        self.table = table
    }

    package var text: String {
        let program = Program.name
        return """
            .TH \(program.uppercased()) 1 "" "\(escaped(Program.versionLine))" "User Commands"
            .SH NAME
            \(escaped(program)) \\- \(escaped(Program.summary))
            .SH SYNOPSIS
            .B \(escaped(program))
            .I COMMAND
            [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]
            .SH DESCRIPTION
            Records are kept on disk until the service has answered for them.
            Several processes can save to the same store and submit it: this command, and programs that use the
            recorders of swift\\-aws\\-recorder.
            .SH COMMANDS
            \(table.commands.map(section).joined(separator: "\n"))
            .SH EXIT STATUS
            \(rows(ExitStatus.meanings.map { ($0.number, $0.meaning) }))
            .SH ENVIRONMENT
            \(rows(Self.environment))
            .SH FILES
            \(rows(Self.files))
            .SH SEE ALSO
            .BR systemd.timer (5),
            .BR sysexits (3)
            """
    }

    private static let environment = [
        ("AWS_REGION, AWS_DEFAULT_REGION", "The region, unless --region gives it."),
        (
            "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_CREDENTIAL_EXPIRATION",
            "The credentials, unless --profile is given."
        ),
        (
            "AWS_IOT_CORE_CREDENTIAL_ENDPOINT, AWS_IOT_CORE_ROLE_ALIAS, AWS_IOT_CORE_THING_NAME, AWS_IOT_CORE_CERT, "
                + "AWS_IOT_CORE_PRIVATE_KEY",
            "For a device with a certificate, if no profile has credentials: the endpoint of AWS IoT's credentials provider, a "
                + "role alias, the name of the thing if the role's policy uses it, and the files of the certificate and its key."
        ),
        (
            "AWS_DEFAULT_PROFILE, AWS_PROFILE",
            "The profile in ~/.aws/config and ~/.aws/credentials, unless --profile gives it."
        ),
        ("AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE", "The files with profiles, in place of those."),
        (
            "AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME",
            "A role, and the file of the token that it is assumed with, if no keys are in the environment."
        ),
        ("AWS_EC2_METADATA_DISABLED", "true: an instance's role is not used."),
        ("AWS_MAX_ATTEMPTS, AWS_RETRY_MODE", "The attempts of each request, 4 by default; all modes do the same."),
        ("AWS_SDK_UA_APP_ID", "The application's ID in the user agent of requests."),
        (
            "AWS_ENDPOINT_URL_KINESIS, AWS_ENDPOINT_URL_FIREHOSE, AWS_ENDPOINT_URL",
            "The address of the service, unless --endpoint-url gives it."
        ),
        ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true: these, and those of profiles, are not used."),
        ("AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT", "true: such a public endpoint is used."),
        (
            "AWS_ACCOUNT_ID, AWS_ACCOUNT_ID_ENDPOINT_MODE",
            "The account of the keys, and whether hosts name it: preferred, required or disabled."
        ),
        ("AWS_KINESIS_RECORDER_DIR", "The directory of the store, unless --directory gives it."),
        (
            "STATE_DIRECTORY, XDG_STATE_HOME, HOME",
            "Otherwise a directory below the first of these that is set; below HOME in .local/state."
        ),
        ("AWS_CA_BUNDLE", "A PEM file of trusted certificate authorities."),
        ("https_proxy, no_proxy", "As in curl(1); no_proxy may also contain [::1], and ports: [::1]:4566."),
        ("TERM", "TERM=dumb prints lines instead of a progress bar."),
    ]

    private static let files = [
        (
            "~/.local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/",
            "The stores, kinesis.db and firehose.db, and the files that SQLite and the locks need beside them."
        )
    ]

    private func section(of command: CommandSpec) -> String {
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

    private func rows(_ rows: [(String, String)]) -> String {
        rows.map { ".TP\n.B \(escaped($0.0))\n\(escaped($0.1))" }.joined(separator: "\n")
    }

    /// Escapes dashes, so that options can be copied; backslashes; and lines that would be troff requests.
    private func escaped(_ text: some StringProtocol) -> String {
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
