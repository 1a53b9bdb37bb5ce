import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

/// A directory of log files, and a store that `follow` fills with their lines.
struct FollowedLogs: Sendable {
    let tool: Tool
    let directory: TemporaryDirectory

    init(to url: String? = nil) throws {
        tool = try Tool(to: url)
        directory = try TemporaryDirectory()
    }

    func path(_ name: String) -> String { directory.path(name) }

    func append(_ text: String, to name: String = "app.log") throws {
        let path = path(name)
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
    }

    func rename(_ name: String, to other: String) throws {
        guard Glibc.rename(path(name), path(other)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    func start(_ arguments: String..., under prefix: [String] = []) throws -> RunningTool {
        try tool.start(under: prefix, ["follow", "app"] + arguments)
    }

    /// Stops a follower as a service manager does.
    func stop(_ running: RunningTool, _ number: Int32 = SIGTERM) async -> Tool.Ran {
        _ = running.signal(number)
        return await running.end(closesInput: false)
    }

    var database: String { tool.followedStore }

    /// The records in the store, in order.
    var stored: [String] {
        ((try? StoredRecord.all(at: database)) ?? []).map { String(decoding: $0.data, as: UTF8.self) }
    }

    func positions() throws -> [String] { try tool.positions() }

    /// Returns what is stored, once there are so many records.
    func stored(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await waitUntil(sourceLocation: sourceLocation) { stored.count >= count }
        return stored
    }
}

/// Returns once `condition` holds; records an issue if it does not within a time.
func waitUntil(
    within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("what is waited for has not come within \(limit)", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

extension Tool {
    var followedStore: String {
        home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db")
    }

    /// The paths of the files that the store has positions of, without those that are gone.
    func positions() throws -> [String] {
        guard FileManager.default.fileExists(atPath: followedStore) else { return [] }
        let connection = try SQLiteConnection(path: followedStore, access: .readOnly)
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'file_position'"
        guard try connection.integer(tables) == 1 else { return [] }
        let rows = try connection.prepare("SELECT path FROM file_position WHERE inode <> 0 AND is_finished < 2")
        var paths: [String] = []
        while try rows.step() { paths.append(rows.text(at: 0)) }
        return paths
    }
}
