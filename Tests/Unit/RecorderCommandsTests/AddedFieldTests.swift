import Foundation
import RecorderTestSupport
import Testing

/// The options that add members to the records of followed files.
@Suite(.timeLimit(.minutes(2))) struct AddedFieldTests {
    @Test func `records name their file, host and offset, over a restart too, and what has none is told and counted`()
        async throws
    {
        let logs = try FollowedLogs()
        let options = ["--add-path", "file", "--add-host", "host", "--add-offset", "at"]
        try logs.append("{\"n\":1}\nplain\n{\"at\":7}\n")
        let first = try logs.tool.start(["follow", "app", logs.path("app.log")] + options)
        let stored = try await logs.stored(3)
        let members = #""file":"\#(logs.path("app.log"))","host":"\#(ProcessInfo.processInfo.hostName)""#
        #expect(stored == [#"{\#(members),"at":0,"n":1}"#, "plain", #"{\#(members),"at":7}"#])
        let ran = await logs.stop(first)
        #expect(ran.status == 0 && ran.out.hasSuffix("; 2 without an added field\n"), "\(ran)")
        #expect(ran.err.contains("record 2 is no JSON object; with --message-field it becomes one"))
        try logs.append("{}\nplain\n")
        let second = try logs.tool.start(["follow", "app", logs.path("app.log"), "--message-field", "m"] + options)
        #expect(
            try await logs.stored(5).suffix(2) == [#"{\#(members),"at":23}"#, #"{\#(members),"at":26,"m":"plain"}"#]
        )
        #expect(await logs.stop(second).status == 0)
    }

    @Test func `two fields with one name are an error`() async throws {
        let ran = try await Tool().run("follow", "app", "/a", "--add-path", "x", "--message-field", "x")
        #expect(ran.status == 64 && ran.err.contains("two fields are named x"), "\(ran)")
    }
}
