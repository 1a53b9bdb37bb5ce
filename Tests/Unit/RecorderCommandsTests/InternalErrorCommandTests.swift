import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

/// Status 70: the store is not the cause, or its counts were wrong.
@Suite(.timeLimit(.minutes(3))) struct InternalErrorCommandTests {
    private func toolWithThreeRecords(after change: String) async throws -> (tool: Tool, path: String) {
        let tool = try Tool()
        _ = try await tool.run("save", "s", input: Data("1\n2\n3\n".utf8))
        let path = tool.home.path(
            ".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db"
        )
        try SQLiteConnection(path: path, access: .readWrite).execute(change)
        return (tool, path)
    }

    @Test func `a trigger that refuses a save ends with 70 and is named, and the store stays as it is`() async throws {
        let trigger = "CREATE TRIGGER boom BEFORE UPDATE ON stream BEGIN SELECT RAISE(ABORT, 'bang'); END"
        let (tool, path) = try await toolWithThreeRecords(after: trigger)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<2 {
            let ran = try await tool.run("save", "s", input: Data("4\n".utf8))
            #expect(ran.status == 70, "\(ran)")
            #expect(ran.err.contains("bang") && ran.err.contains("while: UPDATE stream"), "\(ran.err)")
            #expect(ran.err.contains("DROP TRIGGER \"boom\"") && !ran.err.contains("damaged"), "\(ran.err)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try await tool.run("export", "--raw").out == "1\n2\n3\n")
        #expect(try await tool.run("verify").status == 0)
        try SQLiteConnection(path: path, access: .readWrite).execute("DROP TRIGGER boom")
        #expect(try await tool.run("save", "s", input: Data("4\n".utf8)).status == 0)
        #expect(try await tool.run("export", "--raw").out == "1\n2\n3\n4\n")
    }

    @Test func `a count that contradicts the records is corrected and named, with status 70 once`() async throws {
        let change = "UPDATE stream SET next_sequence = 2 WHERE number = 0"
        let (tool, path) = try await toolWithThreeRecords(after: change)
        let ran = try await tool.run("save", "s", input: Data("4\n".utf8))
        #expect(ran.status == 70 && ran.err.contains("next sequence is 2"), "\(ran)")
        #expect(try await tool.run("save", "s", input: Data("5\n".utf8)).status == 0)
        #expect(try await tool.run("export", "--raw").out == "1\n2\n3\n4\n5\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)
        #expect(!names.contains { $0.contains("damaged") })
    }
}
