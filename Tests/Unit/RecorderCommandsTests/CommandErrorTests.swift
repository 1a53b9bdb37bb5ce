import Foundation
import RecorderTestSupport
import Testing

/// Each kind of error has its exit status and says what to do. No saved record is lost.
@Suite(.timeLimit(.minutes(10))) struct CommandErrorTests {
    @Test(arguments: [
        (["sav"], "there is no command sav. Did you mean save?"),
        (["save", "app", "--sumbit"], "there is no option --sumbit. Did you mean --submit?"),
        (["save"], "STREAM is missing."),
        (["save", "app", "--limit"], "--limit needs a value: --limit SIZE."),
        (
            ["save", "app", "--limit", "many"],
            "--limit many: give a number of bytes, or a size such as 500K, 20M or 2G"
        ),
        (["save", "app", "--limit", "5BIB"], "--limit 5BIB: give a number of bytes, or a size"),
        (
            ["save", "app", "--limit", "1"],
            "--limit 1: a record may take 1,024,100 bytes. Give at least that, or lower --max-record."
        ),
        (["save", "app", "-F", "--limit", "1024063"], "--limit 1024063: a record may take 1,024,064 bytes."),
        (
            ["save", "app", "-p", "k", "--max-record", "1K", "--limit", "1K"],
            "--limit 1K: a record may take 1,089 bytes."
        ),
        (["save", "app", "--partition-key-regex", "^(.)", "--limit", "1000K"], "a record may take 1,025,088 bytes."),
        (["follow", "app", "app.log", "--limit", "100"], "--limit 100: a record may take 1,024,100 bytes."),
        (["save", "app", "--delimiter", "ab"], "--delimiter ab: give one ASCII character"),
        (["save", "a/b"], "may only hold letters, digits, '_', '.' and '-'."),
        (["save", "app", "-F", "-p", "k"], "Firehose has no partition keys."),
        (["save", "app", "-F", "--cbor"], "--cbor: Firehose takes only JSON."),
        (["submit", "-F", "--cbor"], "--cbor: Firehose takes only JSON."),
        (
            ["save", "app", "-F", "--aggregate"],
            "--aggregate: Firehose does not read aggregated records; --pack joins lines."
        ),
        (
            ["submit", "-F", "--aggregate"],
            "--aggregate: Firehose does not read aggregated records; --pack joins lines."
        ),
        (
            ["save", "app", "--pack"],
            "--pack: only lines for Firehose are joined; for Kinesis there is --aggregate. Leave out this option."
        ),
        (["submit", "-K", "--pack"], "--pack: only lines for Firehose are joined"),
        (["save", "app", "-F", "--ordered"], "--ordered: Firehose has no partition keys. Leave out this option."),
        (["submit", "-F", "--ordered"], "--ordered: Firehose has no partition keys."),
        (["save", "app", "-F", "--pack", "--delimiter", "\\0"], "with --delimiter \\0 there is none."),
        (["save", "app", "-F", "--pack", "--delimiter", "none"], "with --delimiter none there is none."),
        (["save", "app", "--aggregate", "--omit-keys"], "Leave out this option or --omit-keys."),
        (["submit", "--aggregate", "--omit-keys"], "Leave out this option or --omit-keys."),
        (
            ["submit", "--entry-size", "5K"],
            "--entry-size 5K: no entries are shared. Add --aggregate for Kinesis or --pack"
        ),
        (
            ["submit", "--aggregate", "--pack", "--entry-size", "5K"],
            "--entry-size 5K: with both --aggregate and --pack"
        ),
        (
            ["submit", "--aggregate", "--entry-size", "1023"],
            "--entry-size 1023: give a size from 1,024 to 1,048,576 bytes."
        ),
        (["save", "app", "--aggregate", "--entry-size", "1025K"], "give a size from 1,024 to 1,048,576 bytes."),
        (["submit", "--rate", "100"], "--rate 100: give at least 1K, bytes in a second."),
        (["save", "app", "--submit", "--rate", "fast"], "--rate fast: give a number of bytes, or a size"),
        (["submit", "--pack", "--entry-size", "1001K"], "give a size from 1,024 to 1,024,000 bytes."),
        (["submit", "--aggregate", "--entry-size", "many"], "--entry-size many: give a number of bytes, or a size"),
        (
            ["submit", "--request-timeout", "0"],
            "--request-timeout 0: give seconds, or a time such as 90s, 15m, 12h or 7d; from 1 s to 7 d."
        ),
        (
            ["submit", "--read-timeout", "8d"],
            "--read-timeout 8d: give seconds, or a time such as 90s, 15m, 12h or 7d; from 1 s to 7 d."
        ),
        (["save", "app", "--read-timeout", "soon"], "--read-timeout soon: give seconds, or a time"),
        (
            ["submit", "--watch", "0"],
            "--watch 0: give seconds, or a time such as 90s, 15m, 12h or 7d; from 1 s to 365 d."
        ),
        (["submit", "--watch", "9223372036854775807"], "--watch 9223372036854775807: give seconds, or a time such as"),
        (["submit", "--watch", "9223372036854775808"], "--watch 9223372036854775808: give seconds, or a time such as"),
        (["submit", "--watch", "9000h"], "--watch 9000h: give seconds, or a time such as"),
        (["submit", "--watch", "31536001"], "--watch 31536001: give seconds, or a time such as"),
        (["save", "app", "--requests", "9223372036854775808"], "--requests 9223372036854775808: give a number"),
        (["submit", "--requests", "65"], "--requests 65: give a number from 1 to 64."),
        (["save", "app", "--limit", "9223372036854775807"], "--limit 9223372036854775807: give a number of bytes, or"),
        (["save", "app", "--limit", "99999999999G"], "--limit 99999999999G: give a number of bytes, or"),
        (["save", "app", "--max-age", "9223372036854775807"], "--max-age 9223372036854775807: give seconds, or"),
        (["save", "app", "--delimiter", "\\x+f"], "--delimiter \\x+f: give one ASCII character"),
        (["save", "app", "--from-byte", "5"], "--from-byte 5: name the file with --file"),
        (["save", "app", "--file", "/dev/null", "--from-byte", "-5"], "--from-byte -5: give a number of at least 0."),
        (["save", "app", "--file", "/dev/null", "--from-byte", "5"], "--from-byte 5: /dev/null is not a regular file"),
        (["save", "app", "-f", "/etc/passwd", "--from-byte", "999999999"], "/etc/passwd has only"),
        (["save", "app", "-f", "/etc/passwd", "--from-byte", "1"], "that is in the middle of a record"),
        (["save", "app", "-f", "/etc/passwd", "--delimiter", "none", "--from-byte", "1"], "--delimiter none"),
        (["completions", "fis"], "Did you mean fish?"),
        ([""], "the name of the command is empty."),
        (["doctor", "app", "--unit", "x"], "STREAM and --unit exclude each other."),
        (["save", ""], "STREAM is empty."),
        (["save", "app", "--file", "a", "-f", "b"], "--file is given twice, as a and as b. Give one of them."),
        (["submit", "--aggregate=force", "--aggregate"], "is given twice, as force and without a value."),
        (["follow", "app", "/tmp/*.log", ""], "PATH is empty."),
        (["save", "app", "--key", ""], "the value of --key is empty: give KEY."),
        (["status", "--directory="], "the value of --directory is empty: give DIR."),
        (["submit", "--profile", ""], "the value of --profile is empty: give NAME."),
        (["clear", "now"], "\"now\" is one argument too many."),
    ])
    func `a wrong command line is 64 and says what is wrong`(words: [String], text: String) async throws {
        let tool = try Tool()
        let ran = await (try tool.start(words)).end()
        #expect(ran.status == 64 && ran.out == "")
        #expect(ran.err.contains(text))
    }

    @Test func `without a region a submit is 78 and names the variable`() async throws {
        let tool = try Tool()
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let ran = try await tool.run("submit")
        #expect(ran.status == 78 && ran.err.contains("Set AWS_REGION or give --region"))
        let early = try await tool.run("save", "app", "--submit", input: Data("b\n".utf8))
        #expect(early.status == 78 && early.out == "")
    }

    @Test(arguments: [
        (["AWS_ACCOUNT_ID": "1111-2222-3333"], "\"1111-2222-3333\" does not have 12 digits: correct AWS_ACCOUNT_ID"),
        (["AWS_ACCOUNT_ID_ENDPOINT_MODE": "required"], "set AWS_ACCOUNT_ID, or aws_account_id in the profile"),
        (["AWS_ACCOUNT_ID_ENDPOINT_MODE": "often"], "\"often\": use preferred, required or disabled."),
    ])
    func `an account that no host can name is 78 before anything is sent, and the records stay`(
        environment: [String: String],
        text: String
    ) async throws {
        var tool = try Tool()
        tool.environment.merge(environment) { $1 }
        tool.environment["AWS_REGION"] = "us-east-1"
        tool.environment["AWS_ACCESS_KEY_ID"] = Canary.accessKey
        tool.environment["AWS_SECRET_ACCESS_KEY"] = Canary.secret
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let ran = try await tool.run("submit")
        #expect(ran.status == 78 && ran.err.contains(text), "\(ran)")
        let doctor = try await tool.run("doctor")
        #expect(doctor.status == 78 && (doctor.out + doctor.err).contains(text), "\(doctor)")
        #expect(try await tool.run("status").out.contains("app"))
    }

    @Test func `a missing stream is 69, keys without permission are 77, no server is 75`() async throws {
        let moto = try await MotoServer(checkingAccess: true)
        let users = try #require(moto.users)
        let tool = try Tool(to: moto.url, keys: users.allowed)
        _ = try await tool.run("save", "missing", input: Data("a\n".utf8))
        let missing = try await tool.run("submit")
        #expect(missing.status == 69 && missing.err.contains("kinesis: missing: "))
        #expect(missing.out.contains("; 1 left"))
        var denied = tool
        denied.environment["AWS_ACCESS_KEY_ID"] = users.denied.accessKeyId
        denied.environment["AWS_SECRET_ACCESS_KEY"] = users.denied.secretAccessKey
        #expect(try await denied.run("submit").status == 77)
        var offline = tool
        offline.environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1"
        #expect(try await offline.run("submit").status == 75)
        let status = try await tool.run("status")
        #expect(status.status == 0)
        #expect(status.out.contains(/missing, \d+ s ago: 127\.0\.0\.1:1: Failed to connect/), "\(status.out)")
        #expect(!(status.out + missing.err).contains(users.allowed.secretAccessKey))
    }

    @Test(arguments: [("SignatureDoesNotMatch", 77), ("ExpiredTokenException", 77), ("ValidationException", 69)])
    func `doctor ends as the command that sends does`(code: String, status: Int32) async throws {
        let server = try LocalServer { _, _ in .error(400, code) }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        for command in [["submit"], ["doctor", "app"]] {
            let ran = await (try tool.start(command)).end()
            #expect(ran.status == status, "\(ran)")
        }
    }

    @Test func `keys that cannot be had for a while are 75, for doctor, too`() async throws {
        var tool = try Tool(to: "http://127.0.0.1:1")
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] { tool.environment[name] = nil }
        tool.environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://127.0.0.1:1/keys"
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        for command in [["submit"], ["doctor"]] {
            let ran = await (try tool.start(command)).end()
            #expect(ran.status == 75, "\(ran)")
        }
    }

    @Test(
        .enabled(
            if: Privileges.unmountsProc && !isSanitized,
            "only root can unmount /proc, not in each container or chroot, and a sanitizer reads it"
        )
    )
    func `without /proc there are no arguments, which is an error`() async throws {
        let tool = try Tool()
        let withoutProc = ["unshare", "--mount", "sh", "-c", "umount -l /proc && exec \"$0\" \"$@\""]
        let ran = await (try tool.start(under: withoutProc, ["save", "app"])).end()
        #expect(ran.status == 78 && ran.err.contains("mount /proc"), "\(ran)")
        #expect(ran.out == "")
    }

    @Test func `a directory that cannot be used is 74, an input that cannot be read 66`() async throws {
        let tool = try Tool()
        let store = try await tool.run("save", "app", "-d", "/dev/null/x", input: Data("a\n".utf8))
        #expect(store.status == 74 && store.err.contains("The record directory /dev/null/x cannot be created"))
        let input = try await tool.run("save", "app", "-f", "/nowhere")
        #expect(input.status == 66 && input.err.contains("/nowhere cannot be read: No such file or directory."))
    }

    @Test(
        .enabled(if: Privileges.traces, "strace is missing, or not permitted to trace"),
        arguments: [
            ["AWS_CONFIG_FILE": "{file}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"],
            ["AWS_WEB_IDENTITY_TOKEN_FILE": "{file}", "AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/r"],
            [
                "AWS_IOT_CORE_CREDENTIAL_ENDPOINT": "https://127.0.0.1:1", "AWS_IOT_CORE_ROLE_ALIAS": "a",
                "AWS_IOT_CORE_CERT": "{file}", "AWS_IOT_CORE_PRIVATE_KEY": "{file}",
            ],
        ] as [[String: String]]
    )
    func `a file of settings that cannot be read for now is 75, so that a unit is started again, and otherwise 78`(
        environment: [String: String]
    ) async throws {
        var tool = try Tool()
        let file = tool.home.path("file")
        try Data("[default]\n".utf8).write(to: URL(fileURLWithPath: file))
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        tool.environment.merge(environment.mapValues { $0 == "{file}" ? file : $0 }) { $1 }
        tool.environment["AWS_REGION"] = "us-east-1"
        tool.environment["AWS_ENDPOINT_URL_KINESIS"] = "https://127.0.0.1:1"
        for (error, status) in [("ENFILE", 75), ("EMFILE", 75), ("EIO", 75), ("EACCES", 78)] as [(String, Int32)] {
            let strace = [
                "strace", "-f", "-qq", "-o", tool.home.path("trace"), "-P", file, "-e", "trace=openat",
                "-e", "inject=openat:error=\(error)",
            ]
            let ran = await (try tool.start(under: strace, ["submit"])).end()
            #expect(ran.status == status && ran.err.contains("\(file) cannot be read: "), "\(error): \(ran)")
        }
    }

    @Test(.enabled(if: geteuid() == 0 && OtherUser.runsPrograms, "it takes root to be another user"))
    func `a store of another user is not missing: its owner is named`() async throws {
        let tool = try Tool(to: "http://127.0.0.1:1")
        let store = tool.home.path("store")
        _ = try await tool.run("save", "app", "-d", store, input: Data("a\n".utf8))
        #expect(chmod(tool.home.path, 0o755) == 0)
        for (words, status) in [
            (["status", "-d", store], 74), (["submit", "-d", store], 74), (["export", "app", "-d", store], 74),
            (["list", "-d", store], 74), (["audit", "app", "--store", store], 66),
        ] as [([String], Int32)] {
            let ran = await (try tool.start(under: OtherUser.prefix, words)).end()
            #expect(
                ran.status == status && ran.err.contains("\(store) belongs to another user (id 0)"),
                "\(words): \(ran)"
            )
        }
    }

    @Test func `the doctor finds that the region is missing, and otherwise no problem`() async throws {
        let ran = try await Tool().run("doctor", "--offline")
        #expect(ran.status == 78)
        #expect(ran.out.contains("FAIL  settings    No region is set. Set AWS_REGION"))
        let moto = try await MotoServer.shared()
        try await moto.createStream("cli-doctor")
        let tool = try Tool(to: moto.url)
        let well = try await tool.run("doctor", "cli-doctor")
        #expect(well.status == 0)
        for line in [
            "ok    region      us-east-1", "ok    service     reached", "ok    clock       right", "no problems found",
        ] {
            #expect(well.out.contains(line))
        }
        #expect(try await tool.run("doctor", "no-such-stream").status == 69)
    }

    @Test func `clear asks, and needs --yes without a terminal`() async throws {
        let tool = try Tool()
        _ = try await tool.run("save", "app", input: Data("a\nb\n".utf8))
        let asked = try await tool.run("clear")
        #expect(asked.status == 64 && asked.err.contains("Give --yes"))
        #expect(try await tool.run("clear", "--yes").out == "removed 2 records.\n")
    }
}
