import FoundationEssentials
import RecorderAWS
import RecorderSQLite

extension StoreWriter {
    /// Imports the records of another library's database, once, in one transaction. The result is a failure if that database
    /// cannot be read; an error of the store is thrown.
    func importRecords(
        of source: LegacyDatabase.Source,
        now: Date
    ) throws(SQLiteError) -> Result<Import, RecorderError> {
        let database: LegacyDatabase
        do {
            database = try LegacyDatabase(source)
        } catch {
            return .failure(error)
        }
        var result = Import()
        do throws(SQLiteError) {
            try write { (ledger) throws(SQLiteError) in
                result = Import()
                let time = try clock.now(connection)
                // Another process may have imported and renamed it while this one waited for the lock.
                guard database.isInPlace, try statements.addImport(database.name) else { return }
                result.skipped = try database.read(now: now) { (row) throws(SQLiteError) in
                    // A time in the future is from a clock that was wrong.
                    let age = max(now.milliseconds - row.savedAt.milliseconds, 0)
                    try insert(row.record, at: time - age, ledger: &ledger)
                    result.imported += 1
                }
            }
        } catch {
            if let failure = database.lastError { return .failure(failure) }
            throw error
        }
        // The note prevents a second import if the process dies before the file is renamed. An import does not fail because
        // the note stays.
        guard database.rename() else {
            if result.imported > 0 {
                RecorderLog.warning(
                    "\(source.path) was imported, and cannot be renamed. It is not imported again: what is added to it is not sent."
                )
            }
            return .success(result)
        }
        try? write { (_) throws(SQLiteError) in try statements.removeImport(database.name) }
        return .success(result)
    }
}
