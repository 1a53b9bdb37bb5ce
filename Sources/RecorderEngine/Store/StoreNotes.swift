import Foundation
import RecorderSQLite

extension StoreWriter {
    /// Writes down which streams the last flush left, and why, for whoever asks for the status later.
    func note(_ failures: [FlushReport.Failure], now: Date) throws(RecorderError) {
        try write { (_) throws(SQLiteError) in
            try connection.execute("UPDATE stream SET trouble = '', trouble_at = 0 WHERE trouble <> ''")
            let note = try connection.prepare("UPDATE stream SET trouble = ?2, trouble_at = ?3 WHERE name = ?1")
            // A stream's first failure is the one that is kept.
            for failure in failures.reversed() {
                try note.bind(failure.stream.rawValue, at: 1)
                try note.bind(failure.error.message, at: 2)
                try note.bind(now.milliseconds, at: 3)
                try note.run()
            }
        }
    }

    /// Writes down the limits that hold; part of a transaction.
    func note(_ limits: DiskLimits) throws(SQLiteError) {
        try connection.execute(
            """
            UPDATE stream SET byte_limit = \(limits.bytes), age_limit = \(limits.age.milliseconds) WHERE number = 0
            """
        )
    }
}

extension StoreReader {
    /// Whether any stream's trouble is noted.
    func hasTrouble() throws(RecorderError) -> Bool {
        try reading { () throws(SQLiteError) in
            try connection.integer("SELECT 1 FROM stream WHERE trouble <> '' LIMIT 1") == 1
        }
    }
}
