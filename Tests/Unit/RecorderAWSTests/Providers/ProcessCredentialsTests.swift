import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProcessCredentialsTests {
    @Test func `the keys that a program prints are cached until shortly before they expire`() async throws {
        let script = try Script("echo run >> \"$0.runs\"; cat <<'END'\n\(Self.keys())\nEND")
        let source = try source(script.command)
        #expect(try await source.credentials() == KeysJSON.credentials)
        #expect(try await source.credentials() == KeysJSON.credentials)
        #expect(try script.text(of: "runs") == "run\n")
        source.invalidate()
        _ = try await source.credentials()
        #expect(try script.text(of: "runs") == "run\nrun\n")
    }

    @Test func `keys that do not expire are fetched once`() async throws {
        let script = try Script(#"echo '{"Version": 1, "AccessKeyId": "a", "SecretAccessKey": "b"}'"#)
        #expect(try await source(script.command).credentials() == Credentials(accessKeyID: "a", secretAccessKey: "b"))
    }

    @Test(
        arguments: [
            ("", [""]), ("a b", ["a", "b"]), ("'a b'  \"c d\"", ["a b", "c d"]), ("a\\ b", ["a b"]),
            ("\"a\\\"b\\\\c\\d\" ''", ["a\"b\\c\\d", ""]), ("$HOME `id` $(id) ; | & > x * ~", nil),
            ("x'y'\"z\"", ["xyz"]), ("# ü", ["#", "ü"]),
        ] as [(String, [String]?)]
    )
    func `arguments are split into words, without any other shell syntax`(arguments: String, words: [String]?)
        async throws
    {
        let script = try Script(
            "for word in \"$@\"; do printf '%s\\n' \"$word\"; done > \"$0.words\"; cat <<'END'\n\(Self.keys())\nEND"
        )
        _ = try await source("\(script.command) \(arguments)").credentials()
        let expected = words ?? arguments.split(separator: " ").map(String.init)
        #expect(try script.text(of: "words") == expected.map { arguments.isEmpty ? "" : $0 + "\n" }.joined())
    }

    @Test func `the program gets the context's variables and no input`() async throws {
        let script = try Script("cat > \"$0.in\"; echo \"$PLANTED\" > \"$0.planted\"; cat <<'END'\n\(Self.keys())\nEND")
        _ = try await source(script.command, environment: ["PLANTED": "yes", "PATH": "/usr/bin:/bin"]).credentials()
        #expect(try script.text(of: "in") == "")
        #expect(try script.text(of: "planted") == "yes\n")
    }

    /// Programs, and a part of the error message.
    private static let failures = [
        ("echo canary >&2; exit 3", "ended with status 3. Run the command by hand"),
        ("kill -9 $$", "was ended by signal 9."),
        ("echo canary", "it printed 7 bytes that are not a JSON document with keys."),
        ("true", "it printed 0 bytes"),
        ("cat /dev/zero", "printed more than 65536 bytes."),
        (#"echo '{"AccessKeyId":"canary","SecretAccessKey":"canary"}'"#, "it printed JSON without \"Version\": 1."),
        (#"echo '{"Version":2,"AccessKeyId":"canary","SecretAccessKey":"canary"}'"#, "\"Version\": 1."),
        (#"echo '{"Version":1,"SecretAccessKey":"canary"}'"#, "without AccessKeyId."),
        (#"echo '{"Version":1,"AccessKeyId":"canary","SecretAccessKey":""}'"#, "without SecretAccessKey."),
        ("echo '\(keys(expiration: "canary"))'", "is not a time in ISO 8601."),
        ("echo '\(keys(expiration: "2001-01-01T00:00:00Z"))'", "it printed keys that expired "),
    ]

    /// By index, because the test runner prints arguments, and some of these contain keys.
    @Test(arguments: failures.indices)
    func `a program without keys is an error that says so and quotes nothing`(number: Int) async throws {
        let (body, reason) = Self.failures[number]
        let script = try Script(body)
        let failure = try #require(await source(script.command).failure())
        #expect(failure.kind == .failed)
        #expect(failure.message.hasPrefix("credential_process of the test: "))
        #expect(failure.message.contains(reason), "\(failure)")
        #expect(!failure.message.contains("canary"))
    }

    @Test(arguments: [
        ("/no/such/program a", "/no/such/program cannot be run: No such file or directory."), ("'open", "not closed."),
        ("trailing\\", "nothing follows the backslash"), ("/tmp", "/tmp cannot be run: Permission denied."),
    ])
    func `a command that cannot be run is an error that says why`(command: String, reason: String) async throws {
        let failure = try await source(command).failure()
        #expect(failure?.message.contains(reason) == true, "\(String(describing: failure))")
    }

    @Test(arguments: [
        ("aws", "aws configure export-credentials --profile NAME --format process"),
        ("aws_signing_helper", "aws_signing_helper credential-process --certificate FILE --private-key FILE"),
    ])
    func `a program of AWS that fails is an error with the form of its command`(name: String, form: String) async throws
    {
        let failure = try await source("/no/such/\(name) --all").failure()
        #expect(failure?.message.contains("/no/such/\(name) cannot be run") == true)
        #expect(failure?.message.contains(form) == true, "\(String(describing: failure))")
    }

    @Test(arguments: ["sleep 600", "sleep 600 & exit 0", "exec 1>&-; sleep 600"])
    func `a program that takes too long is killed with its children`(body: String) async throws {
        let script = try Script("echo $$ > \"$0.pid\"\n\(body)")
        let started = ContinuousClock.now
        let failure = try await source(script.command, timeout: .seconds(5)).failure()
        #expect(failure?.message.contains("took longer than 5.0 seconds") == true, "\(String(describing: failure))")
        // The programs take 600 s.
        #expect(ContinuousClock.now - started < .seconds(400))
        let pid = try #require(pid_t(script.text(of: "pid").dropLast()))
        #expect(kill(pid, 0) == -1)
    }

    @Test(arguments: [
        ("2100-01-01T00:00:00Z", 0), ("2100-01-01 00:00:00.123456+00:00", 0), ("2100-01-01T02:00:00+02:00", 0),
        ("2099-12-31T16:30:00-0730", 0), ("2100-01-01T00:00:00", 0), ("2099-12-31T23:59:58,5Z", -2),
    ])
    func `all common forms of time are read`(text: String, offset: Int) async throws {
        let script = try Script("echo '\(Self.keys(expiration: text))'")
        let end = try #require(KeysJSON.credentials.expiration)
        #expect(try await source(script.command).credentials()?.expiration == end + Double(offset))
    }

    @Test(arguments: [
        "2100-01-01", "2100-13-01T00:00:00Z", "2100-01-01T24:00:00Z", "2100-01-01T00:00:00.Z", "2100-01-01T00:00:00+",
        "2100-1-01T00:00:00Z", "+100-01-01T00:00:00Z", "2100-01-01T00:00:00Z ", "２100-01-01T00:00:00Z", "4102444800",
    ])
    func `other forms of time are refused`(text: String) async throws {
        let script = try Script("echo '\(Self.keys(expiration: text))'")
        #expect(try await source(script.command).failure()?.message.contains("ISO 8601") == true)
    }

    private static func keys(expiration: String = "2100-01-01T00:00:00Z") -> String {
        KeysJSON.text("SessionToken", expiration: expiration, more: #","Version":1"#)
    }

    private func source(
        _ command: String,
        environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        timeout: Duration = .seconds(30)
    ) throws -> CredentialsCache {
        try CredentialsContext.test(environment).source {
            ProcessCredentials(command: command, origin: "test", in: $0, timeout: timeout)
        }
    }
}

/// A shell script in a temporary directory.
private struct Script {
    private let directory: TemporaryDirectory

    /// Runs it through the shell, because a file that another child process holds open for writing cannot be executed.
    var command: String { "/bin/sh \(directory.path("script"))" }

    init(_ body: String) throws {
        directory = try TemporaryDirectory()
        try Data("\(body)\n".utf8).write(to: URL(fileURLWithPath: directory.path("script")))
    }

    /// The text that the script wrote to `$0.name`.
    func text(of name: String) throws -> String {
        let path = directory.path("script.\(name)")
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
