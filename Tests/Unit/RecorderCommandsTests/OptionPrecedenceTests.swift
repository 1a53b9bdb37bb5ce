import Foundation
import RecorderTestSupport
import Testing

/// What is typed comes before environment variables and profiles, for each option that has such a counterpart.
@Suite(.timeLimit(.minutes(3))) struct OptionPrecedenceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var options: [String] = []
        var environment: [String: String] = [:]
        var config = ""
        var agent = ""
        /// The access key, and the region after it, of the request that arrives.
        let signature: String

        var testDescription: String { "\(options) \(environment) \(config) \(agent)" }
    }

    private static let keys = ["AWS_ACCESS_KEY_ID": "AKIDENVIRONMENT", "AWS_SECRET_ACCESS_KEY": "s"]
    private static let profiles = """
        [default]
        region = eu-west-1
        aws_access_key_id = AKIDDEFAULT
        aws_secret_access_key = s
        [profile given]
        region = eu-west-2
        aws_access_key_id = AKIDGIVEN
        aws_secret_access_key = s
        """
    private static let ignoring = keys.merging(["AWS_REGION": "us-east-1"]) { $1 }
        .merging(["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"]) { $1 }
    private static let toServer = ["--endpoint-url", "{server}"]
    private static let toNowhere = [
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ENDPOINT_URL_KINESIS": "http://127.0.0.1:1",
    ]

    private static let rows = [
        // --profile
        Row(options: toServer, environment: keys, config: profiles, signature: "AKIDENVIRONMENT eu-west-1"),
        Row(options: toServer, config: profiles, signature: "AKIDDEFAULT eu-west-1"),
        Row(
            options: toServer + ["--profile", "given"],
            environment: keys,
            config: profiles,
            signature: "AKIDGIVEN eu-west-2"
        ),
        Row(
            options: toServer + ["--profile", "given"],
            environment: ["AWS_WEB_IDENTITY_TOKEN_FILE": "/nowhere", "AWS_ROLE_ARN": "arn:aws:iam::1:role/r"],
            config: profiles,
            signature: "AKIDGIVEN eu-west-2"
        ),
        Row(
            options: toServer + ["--profile=default"],
            environment: ["AWS_PROFILE": "given", "AWS_DEFAULT_PROFILE": "given"],
            config: profiles,
            signature: "AKIDDEFAULT eu-west-1"
        ),
        // --endpoint-url
        Row(options: toServer, environment: ignoring, signature: "AKIDENVIRONMENT us-east-1"),
        Row(
            options: toServer,
            environment: keys.merging(toNowhere) { $1 },
            config: "[default]\nregion = eu-west-1\nendpoint_url = http://127.0.0.1:1",
            signature: "AKIDENVIRONMENT eu-west-1"
        ),
        Row(
            options: toServer,
            config: profiles + "\n[profile given]\nignore_configured_endpoint_urls = true\n",
            signature: "AKIDDEFAULT eu-west-1"
        ),
        Row(
            options: toServer + ["--profile", "given"],
            config: profiles + "\n[profile given]\nignore_configured_endpoint_urls = true\nuse_fips_endpoint = true\n",
            signature: "AKIDGIVEN eu-west-2"
        ),
        // --region
        Row(
            options: toServer + ["--region", "sa-east-1"],
            environment: keys.merging(["AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-2"]) { $1 },
            config: profiles,
            signature: "AKIDENVIRONMENT sa-east-1"
        ),
        Row(
            options: toServer + ["--profile", "given", "-r", "sa-east-1"],
            config: profiles,
            signature: "AKIDGIVEN sa-east-1"
        ),
        // the agent's own file, between options and environment
        Row(
            environment: ignoring,
            agent: #""awsAccessKeyId": "AKIDFILE", "awsSecretAccessKey": "s", "kinesis.endpoint": "{server}","#,
            signature: "AKIDFILE us-east-1"
        ),
        Row(
            options: toServer + ["--profile", "given", "--region", "sa-east-1"],
            environment: ignoring,
            config: profiles,
            agent: #""awsAccessKeyId": "AKIDFILE", "awsSecretAccessKey": "s", "kinesis.region": "eu-west-3","#
                + #""kinesis.endpoint": "http://127.0.0.1:1","#,
            signature: "AKIDGIVEN sa-east-1"
        ),
    ]

    @Test(arguments: rows)
    func `an option decides where records go and whose keys sign them`(row: Row) async throws {
        let server = try LocalServer { request, _ in
            let entries = PutRequestBody(request.body).records.map { _ in #"{"SequenceNumber":"1","ShardId":"s"}"# }
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
        }
        var tool = try Tool()
        let config = tool.home.path("config")
        try Data(row.config.utf8).write(to: URL(fileURLWithPath: config))
        tool.environment.merge(row.environment) { $1 }
        tool.environment["AWS_CONFIG_FILE"] = config
        tool.environment["AWS_MAX_ATTEMPTS"] = "1"
        let options = row.options.map { $0.replacingOccurrences(of: "{server}", with: server.url) }
        if row.agent.isEmpty {
            let ran = try await run(tool, ["save", "app", "--submit"] + options, input: Data("a\n".utf8))
            #expect(ran.status == 0, "\(ran)")
        } else {
            try await runAgent(tool, row.agent.replacingOccurrences(of: "{server}", with: server.url), options, server)
        }
        let request = try #require(server.requests.first)
        let authorization = request.header("Authorization") ?? ""
        let scope = authorization.split(separator: "=").dropFirst().first?.split(separator: "/") ?? []
        #expect(scope.count > 2 && "\(scope[0]) \(scope[2])" == row.signature, "\(authorization)")
    }

    private func run(_ tool: Tool, _ words: [String], input: Data) async throws -> Tool.Ran {
        let running = try tool.start(words)
        running.write(input)
        return await running.end()
    }

    private func runAgent(_ tool: Tool, _ settings: String, _ options: [String], _ server: LocalServer) async throws {
        let (log, path) = (tool.home.path("app.log"), tool.home.path("agent.json"))
        try Data("a\n".utf8).write(to: URL(fileURLWithPath: log))
        let flow =
            #"{"filePattern": "\#(log)", "kinesisStream": "s", "initialPosition": "START_OF_FILE", "maxBufferAgeMillis": 1000}"#
        try Data("{\(settings) \"cloudwatch.emitMetrics\": false, \"flows\": [\(flow)]}".utf8)
            .write(to: URL(fileURLWithPath: path))
        let running = try tool.start(["agent", "--configuration", path] + options)
        await server.received(1)
        _ = running.signal(SIGTERM)
        let ran = await running.end()
        #expect(ran.status == 0, "\(ran)")
    }

    @Test func `the directory that is typed is used, whatever the environment says`() async throws {
        var tool = try Tool()
        let (typed, other) = (tool.home.path("typed"), tool.home.path("other"))
        for name in ["AWS_KINESIS_RECORDER_DIR", "STATE_DIRECTORY", "XDG_STATE_HOME"] { tool.environment[name] = other }
        let ran = try await tool.run("save", "app", "-d", typed, input: Data("a\n".utf8))
        #expect(ran.status == 0 && FileManager.default.fileExists(atPath: "\(typed)/kinesis.db"), "\(ran)")
        #expect(!FileManager.default.fileExists(atPath: other))
    }

    @Test(arguments: ["--region=", "--endpoint-url=", "--profile="])
    func `an empty option is an error, not the environment's value`(option: String) async throws {
        let ran = try await Tool(to: "http://127.0.0.1:1").run("doctor", "--offline", option)
        #expect(ran.status == 64 && ran.err.contains("the value of \(option.dropLast()) is empty"), "\(ran)")
    }

    @Test(arguments: ["--region=EU", "--endpoint-url=host", "--profile=gone"])
    func `an option that cannot be used is an error, not the environment's value`(option: String) async throws {
        let tool = try Tool(to: "http://127.0.0.1:1")
        let ran = try await tool.run("doctor", "--offline", option)
        let words = option.split(separator: "=")
        #expect(ran.status == 78, "\(ran)")
        #expect(
            (ran.out + ran.err).contains(option.hasPrefix("--profile") ? "There is no profile" : "\(words[0]): "),
            "\(ran)"
        )
    }

    @Test func `the agent does not take its default region for one that is wrong`() async throws {
        var tool = try Tool(to: "http://127.0.0.1:1")
        tool.environment["AWS_REGION"] = "EU"
        let path = tool.home.path("agent.json")
        try Data(#"{"flows": [{"filePattern": "/tmp/none", "kinesisStream": "s"}]}"#.utf8)
            .write(to: URL(fileURLWithPath: path))
        let ran = try await tool.run("agent", "-c", path, "--dry-run")
        #expect(ran.status == 78 && ran.err.contains("AWS_REGION: \"EU\" is not a region name"), "\(ran)")
    }

    @Test func `offline, no role is assumed`() async throws {
        let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
        var tool = try Tool(to: server.url)
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] { tool.environment[name] = nil }
        let config = tool.home.path("config")
        let role = "[default]\nrole_arn = arn:aws:iam::111122223333:role/r\nsource_profile = keys\n"
        try Data((role + "[profile keys]\naws_access_key_id = a\naws_secret_access_key = b\n").utf8)
            .write(to: URL(fileURLWithPath: config))
        tool.environment["AWS_CONFIG_FILE"] = config
        let ran = try await tool.run("doctor", "--offline")
        #expect(ran.status == 0 && ran.out.contains("Nothing is sent, because of --offline."), "\(ran)")
        #expect(server.requests.isEmpty)
    }
}
