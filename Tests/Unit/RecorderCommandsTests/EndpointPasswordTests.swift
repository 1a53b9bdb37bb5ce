import Foundation
import RecorderTestSupport
import Testing

/// A password in the address of an endpoint is refused where it is read, and never printed.
@Suite(.timeLimit(.minutes(10))) struct EndpointPasswordTests {
    private static let password = Canary.proxyPassword
    private static let address = "http://user:\(password)@127.0.0.1:1"

    @Test(arguments: [["submit"], ["save", "app", "--submit"], ["doctor", "app"]])
    func `on the command line`(command: [String]) async throws {
        let tool = try Tool(to: "http://127.0.0.1:1")
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        for option in [["--endpoint-url", Self.address], ["--endpoint-url=\(Self.address)"]] {
            try await Self.refuses(await (try tool.start(command + option)).end())
        }
        let status = try await tool.run("status")
        #expect(!(status.out + status.err).contains(Self.password))
    }

    @Test(arguments: ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_KINESIS"])
    func `in the environment`(variable: String) async throws {
        var tool = try Tool(to: "http://127.0.0.1:1")
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        tool.environment[variable] = Self.address
        for command in [["submit"], ["doctor"]] {
            let ran = await (try tool.start(command)).end()
            try await Self.refuses(ran)
            #expect((ran.out + ran.err).contains(variable))
        }
    }

    @Test func `in the profile`() async throws {
        var tool = try Tool(to: "http://127.0.0.1:1")
        tool.environment["AWS_ENDPOINT_URL"] = nil
        let file = tool.home.path("config")
        try Data("[default]\nendpoint_url = \(Self.address)\n".utf8).write(to: URL(fileURLWithPath: file))
        tool.environment["AWS_CONFIG_FILE"] = file
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        try await Self.refuses(try await tool.run("submit"))
    }

    private static func refuses(_ ran: Tool.Ran) async throws {
        #expect(ran.status == 78, "\(ran.status)")
        let printed = ran.out + ran.err
        #expect(printed.contains("user name and password"))
        #expect(!printed.contains(password) && !printed.contains("user:"))
    }
}
