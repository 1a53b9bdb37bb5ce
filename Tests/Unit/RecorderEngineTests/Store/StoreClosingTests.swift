import Foundation
import RecorderTestSupport
import Testing

@testable import RecorderStore

/// What the last program that closes a store leaves.
@Suite struct StoreClosingTests {
    /// SQLite removes the log then. The lock is held until that has happened and is noted: the next program would take the note
    /// of a log that is gone for a sign that another program has removed it.
    @Test func `a store that is closed has no log in use`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("kinesis.db")
        do {
            let location = StoreLocation(directory: directory.path, fileName: "kinesis.db")
            let connections = StoreConnections(at: { location }, clock: .system, inFlight: InFlightRecords())
            #expect(try connections.totalsOfWriter().records == 0)
        }
        #expect(FileIdentity("\(path)-wal") == nil)
        let lock = StoreLock(path: "\(path).lock")
        #expect(try lock.tryLock() && lock.line(at: 1).isEmpty)
    }
}
