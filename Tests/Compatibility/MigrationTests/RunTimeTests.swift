import Foundation
import RecorderTestSupport
import Testing

/// The table of differences at run time in MIGRATION.md; `MigrationProgram` has the code before and after.
@Suite(.disabled(if: isSanitized, "a sanitizer reports the failed cast"), .timeLimit(.minutes(5)))
struct RunTimeTests {
    /// The first cells of the table.
    enum Symptom: String, CaseIterable {
        case cast =
            "`Illegal instruction`, `Could not cast value of type 'AWSTasks.AWSTask<...>' ... to 'AWSTasks.AWSTask<...>'`"
        case mainThread =
            "a block on `AWSExecutor.mainThread()` or `DispatchQueue.main`, or a timer, never runs"
        case observer = "an observer added with `queue: OperationQueue()` is never called"
        case array = "a wait for all tasks ends at once"
        case end = "the program ends, and the records are still stored"
        case error = "`task.error as? URLError` is nil"
    }

    @Test func `each row of the table is tested here`() throws {
        #expect(try MigrationTable(below: "At run time").firstCells == Symptom.allCases.map(\.rawValue))
    }

    @Test func `a cast of a chain of untyped blocks traps, a conversion and typed blocks do not`() async throws {
        let messages = Symptom.cast.rawValue.codeSpans
        let before = try await run("cast", "before")
        #expect(before.endedBySignal && String(cString: strsignal(before.status)) == messages[0], "\(before.err)")
        let erased = try await run("erased-cast", "before")
        #expect(erased.endedBySignal && MessagePattern(messages[1]).isFound(in: erased.err), "\(erased.err)")
        let after = try await run("cast", "after")
        #expect(after.out == "token\ntoken\n", "\(after.err)")
    }

    @Test func `blocks for the main thread run while its run loop runs`() async throws {
        #expect(try await run("main-thread", "before").out.isEmpty)
        #expect(
            try await run("main-thread", "after").out.split(separator: "\n").sorted() == ["executor", "queue", "timer"]
        )
    }

    @Test func `an observer on a queue that is not kept is never called, one on a kept queue or on none is`()
        async throws
    {
        #expect(try await run("observer", "before").out.isEmpty)
        #expect(try await run("observer", "after").out.split(separator: "\n").sorted() == ["kept", "none"])
    }

    @Test func `an array with a task of another type is no array of untyped tasks`() async throws {
        #expect(try await run("array", "before").out == "true\n")
        #expect(try await run("array", "after").out == "false\n")
    }

    @Test func `a program that ends after submitAllRecords has sent nothing, one that awaits submit has sent all`()
        async throws
    {
        let silent = try LocalServer { _, _ in .stall }
        #expect(try await run("end", "before", url: silent.url).out == "true\n")
        let answering = try LocalServer { _, _ in
            .json(200, #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1","ShardId":"shardId-000000000000"}]}"#)
        }
        #expect(try await run("end", "after", url: answering.url).out == "false\n")
    }

    @Test func `errors of a task are of type NSError, and await throws the Swift error`() async throws {
        #expect(try await run("error", "before").out == "true\n")
        #expect(try await run("error", "after").out == "true\ntrue\n")
    }

    private func run(_ symptom: String, _ side: String, url: String = "") async throws -> BuiltProgram.Ran {
        let store = try TemporaryDirectory()
        return try await BuiltProgram.run(
            "MigrationProgram",
            [symptom, side],
            environment: [
                "AWS_ENDPOINT_URL": url, "AWS_REGION": "us-east-1", "AWS_KINESIS_RECORDER_DIR": store.path,
                "AWS_ACCESS_KEY_ID": Canary.accessKey, "AWS_SECRET_ACCESS_KEY": Canary.secret, "no_proxy": "127.0.0.1",
                "SWIFT_BACKTRACE": "enable=no",
            ]
        )
    }
}
