/// The write-ahead log of a database and its index (the shared memory), as they are at their paths.
struct LogFiles: Equatable {
    let log: FileIdentity?
    let index: FileIdentity?

    /// As in the lock file. "" if there is no log.
    var text: String {
        guard let log else { return "" }
        return "\(log) \(index?.description ?? "-")"
    }
}

/// What other programs have done to the log that this process has open, and what that means for its content. Pure.
///
/// The lock file names the files that the last opening used (`inUse`), and the log whose content was moved into the database
/// after it had been removed or replaced (`moved`). All of that is looked at under the lock.
enum LogChange: Equatable {
    case none
    /// The same log has a new index. Others have read all of the log, but know nothing of what is written by the old index.
    case reindexed
    /// The log is not at its path any more, and no process has used another one: its content can be moved into the database.
    case replaced
    /// The same, and another process has moved the content.
    case moved
    /// The log does not have what its index says: another program has written to it.
    case overwritten
    /// The log is not at its path any more, and its content cannot be moved: another process has opened the store since, or another
    /// program has changed the database, so that both have changed the same pages.
    case lost

    /// `open` is what this process has open, `found` is at the paths; `isWhole` says whether the log has what its index says, and
    /// `isDatabaseOurs` whether only the store's own programs have changed the database.
    init(
        of open: LogFiles,
        found: LogFiles,
        inUse: String,
        moved: String,
        isWhole: Bool,
        isDatabaseOurs: Bool
    ) {
        if found == open {
            self = isWhole ? .none : .overwritten
        } else if found.log == open.log {
            self = .reindexed
        } else if moved == open.log?.description {
            self = .moved
        } else {
            self = inUse == open.text && isWhole && isDatabaseOurs ? .replaced : .lost
        }
    }
}
