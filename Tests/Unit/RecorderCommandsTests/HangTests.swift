import Foundation
import Glibc
import RecorderCommands
import RecorderTestSupport
import Testing

/// What would be waited for without end is an error that names it.
@Suite(.timeLimit(.minutes(2))) struct HangTests {
    private static let keys = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"]

    @Test(
        arguments: [
            ["AWS_CONFIG_FILE": "{fifo}"].merging(keys) { $1 },
            ["AWS_SHARED_CREDENTIALS_FILE": "{fifo}"].merging(keys) { $1 },
            ["AWS_CA_BUNDLE": "{fifo}"].merging(keys) { $1 },
            ["AWS_WEB_IDENTITY_TOKEN_FILE": "{fifo}", "AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/r"],
            [
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "{fifo}",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/",
            ],
            [
                "AWS_IOT_CORE_CREDENTIAL_ENDPOINT": "https://127.0.0.1:1", "AWS_IOT_CORE_ROLE_ALIAS": "a",
                "AWS_IOT_CORE_CERT": "{fifo}", "AWS_IOT_CORE_PRIVATE_KEY": "{fifo}",
            ],
        ] as [[String: String]]
    )
    func `a FIFO in place of a file of AWS's`(environment: [String: String]) async throws {
        var tool = try Tool()
        let fifo = tool.home.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        tool.environment.merge(environment.mapValues { $0 == "{fifo}" ? fifo : $0 }) { $1 }
        tool.environment["AWS_REGION"] = "us-east-1"
        tool.environment["AWS_ENDPOINT_URL_KINESIS"] = "https://127.0.0.1:1"
        let ran = try await tool.run("submit")
        #expect([75, 77, 78].contains(ran.status) && ran.err.contains(fifo), "\(ran)")
    }

    @Test(arguments: [["agent", "-c"], ["audit", "app", "--status"], ["audit", "app", "--checkpoint"]])
    func `a FIFO in place of a file of ours`(words: [String]) async throws {
        let tool = try Tool(to: "http://127.0.0.1:1")
        let fifo = tool.home.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let ran = await (try tool.start(words + [fifo])).end()
        #expect(ran.status == 66 && ran.err.contains(fifo), "\(ran)")
    }

    @Test func `a machine with many processors needs no more threads than one with four`() {
        #expect(ProcessSetup.threads(on: 2) == 14)
        #expect(ProcessSetup.threads(on: 4) == 16 && ProcessSetup.threads(on: 64) == 16)
    }

    /// For root, who has no limit, as another user.
    @Test(arguments: [["status"], ["save", "app"], ["submit"], ["doctor", "--offline"]])
    func `a user who may start no more threads`(words: [String]) async throws {
        let tool = try Tool()
        let asOther = geteuid() == 0 ? ["setpriv", "--reuid=54398", "--clear-groups"] : []
        let ran = await (try tool.start(under: asOther + ["prlimit", "--nproc=2"], words)).end()
        guard !ran.err.contains("Permission denied"), ran.status != 127 else {
            return print("Skipped: another user cannot run \(Tool.path).")
        }
        #expect(ran.status == 75 && ran.err.contains("no further thread") && ran.err.contains("ulimit -u"), "\(ran)")
    }
}
