import Foundation
import RecorderAWS
package import RecorderSQLite

extension SQLiteConnection {
    /// Moves a store's log to its database, for a test that reads, damages or moves that file alone.
    ///
    /// A command that ends on a busy machine may leave its log, too.
    package static func emptyLog(of database: String) throws {
        let connection = try SQLiteConnection(path: database, access: .readWrite)
        // A connection that has read nothing does not know that there is a log.
        _ = try connection.integer("SELECT count(*) FROM stream")
        try connection.checkpoint(.truncate)
        let left = try? FileManager.default.attributesOfItem(atPath: "\(database)-wal")[.size] as? Int
        guard left ?? 0 == 0 else {
            throw ConfigurationFailure("\(database) is in use: \(left ?? 0) bytes are left in its log")
        }
    }
}
