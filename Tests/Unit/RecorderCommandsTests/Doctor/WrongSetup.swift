import Foundation
import RecorderTestSupport
import Testing

/// One thing that is wrong on a machine, and the line by which the doctor names it.
struct WrongSetup: Sendable, CustomTestStringConvertible {
    /// `HOME` stands for the tool's home directory.
    let line: String
    let status: Int32
    var clockError: TimeInterval = 0
    /// Makes it wrong, and returns the doctor's words.
    let arrange: @Sendable (inout Tool) async throws -> [String]

    var testDescription: String { line }

    static let all = settings + stores + services + agents + units

    /// A wrong setting of the environment; no request is made.
    private static func variable(_ name: String, _ value: String?, _ line: String, status: Int32 = 78) -> WrongSetup {
        WrongSetup(line: line, status: status) { tool in
            tool.environment[name] = value
            return ["--offline"]
        }
    }

    private static let settings = [
        variable("AWS_REGION", nil, "FAIL  settings    No region is set. Set AWS_REGION"),
        variable(
            "AWS_REGION",
            "eu-west-1 # Ireland",
            "FAIL  settings    AWS_REGION: \"eu-west-1 # Ireland\" is not a region"
        ),
        variable(
            "AWS_ENDPOINT_URL",
            "kinesis.local",
            "FAIL  settings    AWS_ENDPOINT_URL: \"kinesis.local\" is not an endpoint"
        ),
        variable(
            "AWS_ENDPOINT_URL",
            "https://firehose.us-east-1.amazonaws.com",
            "FAIL  endpoint    firehose.us-east-1.amazonaws.com is a host of firehose, but records are sent to kinesis"
        ),
        variable(
            "AWS_ENDPOINT_URL",
            "https://kinesis.eu-west-1.amazonaws.com",
            "FAIL  endpoint    kinesis.eu-west-1.amazonaws.com is in eu-west-1, but requests are signed for us-east-1"
        ),
        variable("AWS_PROFILE", "absent", "FAIL  settings    AWS_PROFILE: There is no profile \"absent\""),
        variable(
            "AWS_SECRET_ACCESS_KEY",
            nil,
            "FAIL  credentials AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY"
        ),
        variable(
            "AWS_SESSION_TOKEN",
            "a\nb",
            "FAIL  credentials The session token (environment) has a line end in it."
        ),
        WrongSetup(
            line:
                "warn  region      eu-wset-1 is no region of AWS that this version knows. Did you mean eu-west-1?",
            status: 0
        ) { tool in
            tool.environment["AWS_ENDPOINT_URL"] = nil
            tool.environment["AWS_REGION"] = "eu-wset-1"
            return ["--offline"]
        },
        WrongSetup(line: "FAIL  credentials There are no credentials. Looked for in this order", status: 78) { tool in
            tool.environment["AWS_ACCESS_KEY_ID"] = nil
            tool.environment["AWS_SECRET_ACCESS_KEY"] = nil
            return ["--offline"]
        },
    ]

    private static let stores = [
        WrongSetup(line: "FAIL  rights      HOME/store can be written by other users (mode 0777)", status: 74) { tool in
            #expect(mkdir(tool.home.path("store"), 0o700) == 0 && chmod(tool.home.path("store"), 0o777) == 0)
            return ["-d", tool.home.path("store"), "--offline"]
        },
        WrongSetup(line: "FAIL  directory   /dev/null/store cannot be used: /dev/null is not a directory", status: 74) {
            _ in
            ["-d", "/dev/null/store", "--offline"]
        },
        WrongSetup(line: "FAIL  store       HOME/store/kinesis.db is damaged: ", status: 74) { tool in
            let path = try await tool.save(in: "store")
            try await tool.python(
                """
                import os, sqlite3
                path = '\(path)/kinesis.db'
                c = sqlite3.connect(path)
                c.execute('PRAGMA wal_checkpoint(TRUNCATE)')
                c.close()
                size = os.path.getsize(path)
                with open(path, 'r+b') as f:
                    f.seek(4096)
                    f.write(bytes([0x5A]) * (size - 4096))
                """
            )
            return ["-d", path, "--offline"]
        },
        WrongSetup(line: "ok    store       kinesis.db: none yet, but 1 record under --key firehose", status: 0) {
            tool in
            let path = try await tool.save(in: "store", "--key", "firehose")
            return ["-d", path, "--offline"]
        },
        WrongSetup(line: "warn  file system in memory (tmpfs)", status: 0) { tool in
            #expect(mkdir(memory(tool), 0o700) == 0)
            return ["-d", memory(tool), "--offline"]
        },
        WrongSetup(line: "warn  stream      app was not sent last time: ", status: 0) { tool in
            let path = try await tool.save(in: "store")
            var closed = tool
            closed.environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1"
            #expect(try await closed.run("submit", "-d", path).status == 75)
            return ["-d", path, "--offline"]
        },
    ]

    /// A directory of this test's own in memory.
    static func memory(_ tool: Tool) -> String {
        "/dev/shm/\(URL(fileURLWithPath: tool.home.path).lastPathComponent)"
    }

    private static let services = [
        WrongSetup(line: "FAIL  stream      as asked", status: 69) { _ in ["missing"] },
        WrongSetup(line: "FAIL  stream      the credentials may not send to forbidden", status: 77) { _ in ["forbidden"]
        },
        WrongSetup(line: "FAIL  stream      as asked", status: 69) { _ in ["missing", "--firehose"] },
        WrongSetup(
            line: " s behind the service's; requests are signed by the service's clock",
            status: 0,
            clockError: 3_600
        ) { _ in ["app"] },
        WrongSetup(line: "FAIL  service     127.0.0.1:1: Failed to connect", status: 75) { tool in
            tool.environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1"
            return []
        },
        WrongSetup(line: "FAIL  stream      ", status: 64) { _ in ["arn:aws:kinesis:eu-west-1:123456789012:stream/app"]
        },
    ]

    private static func agent(_ text: String, _ line: String, status: Int32) -> WrongSetup {
        WrongSetup(line: line, status: status) { tool in
            try tool.write("agent.json", text.replacingOccurrences(of: "HOME", with: tool.home.path))
            return ["--configuration", tool.home.path("agent.json")]
        }
    }

    private static let agents = [
        agent(
            #"{"cloudwatch.emitMetrics": false, "flow": 1, "flows": [{"filePattern": "/etc/host*", "kinesisStream": "a"}]}"#,
            "warn  agent       HOME/agent.json: flow is not known, and has no effect. Did you mean flows?",
            status: 0
        ),
        agent(
            #"{"flows": [{"filePattern": "HOME/logs/*.log", "kinesisStream": "a"}]}"#,
            "warn  files       the directory of HOME/logs/*.log does not exist",
            status: 0
        ),
        agent(
            #"{"flows": [{"filePattern": "HOME/*.log", "kinesisStream": "a"}]}"#,
            "warn  files       no file matches HOME/*.log yet",
            status: 0
        ),
        agent(
            #"{"flows": [{"filePattern": "/tmp", "kinesisStream": "a"}]}"#,
            "FAIL  files       /tmp cannot be followed: it is a directory",
            status: 66
        ),
        agent(
            #"{"flows": [{"filePattern": "/etc/host*", "kinesisStream": "missing"}]}"#,
            "FAIL  stream      as asked",
            status: 69
        ),
        agent(#"{"flows": [}"#, "FAIL  set-up      HOME/agent.json: This is not JSON, from line 1 on.", status: 78),
        WrongSetup(line: "FAIL  set-up      /no/agent.json cannot be read: it does not exist", status: 66) { _ in
            ["--configuration", "/no/agent.json"]
        },
    ]

    /// A unit that follows /etc/hostname. `change` makes it wrong after its settings were written.
    private static func unit(
        _ line: String,
        status: Int32,
        loadState: String = "loaded",
        options: String = "",
        settings: String = "",
        change: @escaping @Sendable (StandInSystemd) throws -> Void = { _ in }
    ) -> WrongSetup {
        WrongSetup(line: line, status: status) { tool in
            let systemd = try StandInSystemd(
                in: &tool,
                loadState: loadState,
                command: "follow $STREAM /etc/hostname --submit \(options)"
            )
            let more = settings.replacingOccurrences(of: "HOME", with: tool.home.path)
            try systemd.write(from: &tool, "STREAM=app\n\(more)")
            try change(systemd)
            return ["--unit", "recorder-test"]
        }
    }

    private static let units = [
        unit("FAIL  set-up      recorder-test.service: there is no such unit", status: 66, loadState: "not-found"),
        unit(
            "FAIL  set-up      follow: there is no option --sumbit. Did you mean --submit?",
            status: 64,
            options: "--sumbit"
        ),
        unit(
            "is no NAME=VALUE, and systemd leaves it out\n                  -> Correct that line: leave out \"export\"",
            status: 78,
            settings: "export AWS_REGION=us-east-1"
        ),
        unit(
            "FAIL  settings    AWS_REGION: \"$REGION\" is not a region name",
            status: 78,
            settings: "AWS_REGION=$REGION"
        ),
        unit("FAIL  stream      as asked", status: 69, settings: "STREAM=missing"),
        unit(
            "FAIL  metrics     --metrics-file HOME/kinesis.db: this is the name of a record store's file",
            status: 64,
            options: "--metrics-file ${METRICS}/kinesis.db",
            settings: "METRICS=HOME"
        ),
        unit("FAIL  unit        HOME/unit.conf does not exist, so recorder-test.service cannot start", status: 78) {
            try FileManager.default.removeItem(atPath: $0.settings)
        },
        unit("warn  unit        HOME/unit.conf has keys in it, and every user can read it (mode 0644)", status: 0) {
            #expect(chmod($0.settings, 0o644) == 0)
        },
    ]
}

/// A set-up with which nothing is wrong.
struct RightSetup: Sendable, CustomTestStringConvertible {
    let name: String
    let arrange: @Sendable (inout Tool) async throws -> [String]

    var testDescription: String { name }

    static let all = [
        RightSetup(name: "a new machine") { _ in [] },
        RightSetup(name: "a stream, and records that wait") { tool in
            ["app", "-d", try await tool.save(in: "store")]
        },
        RightSetup(name: "Firehose, under a key") { tool in
            let path = try await tool.save(in: "store", "--firehose", "--key", "logs")
            return ["app", "-F", "-k", "logs", "-d", path]
        },
        RightSetup(name: "a profile") { tool in
            try tool.write("config", "[profile site]\nregion = us-east-1\n")
            try tool.write("credentials", "[site]\naws_access_key_id = AKIA1\naws_secret_access_key = secret1\n")
            for name in ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] { tool.environment[name] = nil }
            tool.environment["AWS_CONFIG_FILE"] = tool.home.path("config")
            tool.environment["AWS_SHARED_CREDENTIALS_FILE"] = tool.home.path("credentials")
            return ["app", "--profile", "site"]
        },
        RightSetup(name: "an agent's configuration") { tool in
            try tool.write("app.log", "a\n")
            let flow = #"{"filePattern": "\#(tool.home.path)/*.log", "kinesisStream": "app"}"#
            try tool.write("agent.json", #"{"cloudwatch.emitMetrics": false, "flows": [\#(flow)]}"#)
            return ["--configuration", tool.home.path("agent.json")]
        },
        RightSetup(name: "a unit that follows") { tool in
            let systemd = try StandInSystemd(
                in: &tool,
                command: "follow $STREAM $FILES --submit --metrics-file ${RUNTIME_DIRECTORY}/metrics.prom $OPTIONS"
            )
            try systemd.write(from: &tool, "STREAM=app\nFILES=/etc/hostname /etc/passwd\nOPTIONS=--limit 1M")
            return ["--unit", "recorder-test"]
        },
        RightSetup(name: "a unit that leaves out what cannot be followed") { tool in
            #expect(mkfifo(tool.home.path("app.pipe"), 0o600) == 0)
            try tool.write("app.log", "a\n")
            let systemd = try StandInSystemd(in: &tool, command: "follow app $FILES --exclude *.pipe --submit")
            try systemd.write(from: &tool, "FILES=\(tool.home.path("app.*"))")
            return ["--unit", "recorder-test"]
        },
        RightSetup(name: "a unit that runs an agent") { tool in
            let flow = #"{"filePattern": "/etc/host*", "kinesisStream": "app"}"#
            try tool.write("agent.json", #"{"cloudwatch.emitMetrics": false, "flows": [\#(flow)]}"#)
            let systemd = try StandInSystemd(
                in: &tool,
                command: "agent --configuration ${CREDENTIALS_DIRECTORY}/agent.json"
            )
            try systemd.write(from: &tool)
            return ["--unit", "recorder-test"]
        },
    ]
}

extension Tool {
    /// Saves a record for the stream app in a directory of its home. Returns the directory.
    func save(in name: String, _ options: String...) async throws -> String {
        let running = try start(["save", "app", "-q", "-d", home.path(name)] + options)
        running.write(Data("a\n".utf8))
        #expect(await running.end().status == 0)
        return home.path(name)
    }
}
