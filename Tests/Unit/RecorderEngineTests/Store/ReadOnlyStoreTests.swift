import Foundation
import Glibc
import RecorderSQLite
import RecorderTestSupport
import Testing

@testable import RecorderStore

/// A store of another user that no program has open, as root reads it.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Privileges.givesFilesAway, "no file can be given to another user"))
struct ReadOnlyStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() async throws {
        directory = try TemporaryDirectory()
        path = directory.path("kinesis.db")
        try await PipelineHarness(in: directory).save("kept")
        for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) }
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            #expect(chown(directory.path(name), 54_321, 54_321) == 0)
        }
    }

    private func open() throws -> ReadOnlyStore {
        try ReadOnlyStore(at: StoreLocation(directory: directory.path, fileName: "kinesis.db"))
    }

    /// As a unit that starts does.
    private func canLock() -> Bool {
        let lock = Glibc.open("\(path).lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        return flock(lock, LOCK_EX | LOCK_NB) == 0
    }

    @Test func `a program that starts while it is read waits for nothing`() throws {
        let store = try open()
        #expect(canLock())
        let records = try store.perform(try Self.records(store, before: { #expect(canLock()) }))
        #expect(records == 1)
    }

    @Test func `what was read while the file was changed does not count`() throws {
        let store = try open()
        var readings = 0
        let count = try store.perform(
            try Self.records(store) {
                readings += 1
                // That changes its time, which no program can set.
                if readings == 1 { #expect(chmod(path, 0o640) == 0) }
            }
        )
        #expect(readings == 2 && count == 1)
    }

    private static func records(_ store: ReadOnlyStore, before: () -> Void) throws(SQLiteError) -> Int {
        before()
        return try store.reader().streamsWithRecords().reduce(0) { $0 + $1.records }
    }
}
