import RecorderAWS
import RecorderSQLite

/// The tables of a store, what their rows mean and what holds between transactions; and the checks of a file that is opened as one.
///
/// A store is an SQLite file with a write-ahead log and pages of 4,096 bytes, version 1. The tables:
///
/// | table | a row is |
/// |---|---|
/// | `meta` | only one: what identifies the file, and what changes with few transactions |
/// | `stream` | number 0: the counts of all streams; any other: one stream. See `tables` |
/// | `segment` | a range of sequences, from `first_sequence` to the next row's, and how many of its records are `removed` |
/// | `block_N` | of the segment whose first sequence is N: up to 500 records or 64 KiB of one stream, saved in one transaction |
/// | `kept` | a block of one record that stayed while later ones of its stream left, with its `failures` |
/// | `clock` | only one: an instant by the wall clock, by the time since boot, and by the clock that ages records |
/// | `file_position` | a followed file and the byte up to which its lines are stored, or the mark of a pattern |
/// | `rejected` | a copy of a record that the service rejected; no longer a record of the store |
/// | `earlier_source` | the ordinals of a stream's records under a key source that has ended, for an audit; the newest 256 |
/// | `imported` | another library's database whose records are stored, until it is renamed |
///
/// Between any two transactions, whatever ended the process:
///
/// - A record is in the store if it is in a block beyond its stream's `cursor`, or in `kept`. Its id is its stream's number and its
///   sequence; sequences count all records of the store, are below `next_sequence`, and are never used again.
/// - `records` and `bytes` of a stream count what is in the store of it, and those of row 0 are the sums. In row 0
///   `saved = records + delivered + evicted + expired + rejected + exhausted + cleared`.
/// - Segments have no gap: each sequence of a range was saved there. `removed` counts those whose records have left or are in
///   `kept`; a segment has at least one other. The table of one that is no longer listed is empty, and dropped later.
/// - In a stream, `kept` has the oldest records: all are at or before the cursor.
/// - While there are records, the files have room to settle the next answer (`StoreSpace`).
///
/// What a transaction changes, all of it or nothing:
///
/// | transaction | before | after |
/// |---|---|---|
/// | save (up to 4,096 records or 1 MiB) | each record is valid | they are in new blocks; what expired or exceeds the limit has left; the positions of the lines' files are theirs. Without room to settle them, nothing |
/// | settle an answer | its records are in flight; some may have left | the cursor is at the last one that left or failed; those up to it that stay are in `kept`, failures counted; rejected ones have a copy if that is wanted. On a full disk in parts, oldest first |
/// | limits (16,384 records, or twice the bytes saved) | the store exceeds a limit | the oldest have left, by bytes those of the stream that takes the most; the rest is for the next transaction |
/// | clear | | no record, or none of the selected streams; each counts as cleared |
/// | compact (up to 4,096 records) | the oldest segment keeps space of records that left | the records of its beginning are in `kept`; no count has changed |
/// | import | the database is not in `imported` | its records are saved, and it is; a second transaction after the renaming removes it |
/// | end of a flush | | `trouble` says why records of a stream stay |
/// | drained | no record is left | empty tables, and rows of streams that are no longer used, are gone, a few at a time |
enum StoreSchema {
    /// "AWSK": distinguishes a store from other SQLite files.
    static let applicationID: Int64 = 0x4157_534B
    /// The only format that this program reads and writes; a file of another one is refused, and left untouched.
    static let version: Int64 = 1
    /// The identifier of files that were written before the first release.
    private static let earlierApplicationID: Int64 = 0x4157_5352
    /// A larger version number is corruption.
    private static let largestVersion: Int64 = 255

    /// `stream`: one small row per stream, updated in the same transaction as its records, so that counts, bytes and limits cost
    /// the same at any backlog. Those from `saved` through `cleared`, `saved_bytes` and `next_sequence` are of row 0 only: fewer
    /// rows change with a record. It is in this table, and not in `meta`, because a commit writes whole pages: each would write
    /// one more. `entries` are those of requests that the service accepted: records may share one.
    ///
    /// `cursor` is the sequence through which the stream's records have left or are in `kept`: in the segment's table they stay
    /// until that is emptied. `trouble` is why the stream's last flush kept records.
    ///
    /// Numbered keys: `numbered` counts the stream's records that were ever saved without a key, `numbered_before` those that
    /// were when the newest segment's `KeySource` was drawn, and `unnamed` the records since then that were delivered under
    /// random keys, or without keys, which do not name them. While `meta` has no source, all of that belongs to an unknown one.
    ///
    /// `meta`: `identity` is the file's `StoreIdentity`, `key_source` the newest segment's source (0: none), `key_place` the file
    /// that it was drawn for ('': it has ended); the limits are those of the last process that saved (-1: none yet).
    static let tables = """
        CREATE TABLE meta (
            identity INTEGER NOT NULL,
            key_source INTEGER NOT NULL DEFAULT 0,
            key_place TEXT NOT NULL DEFAULT '',
            byte_limit INTEGER NOT NULL DEFAULT -1,
            age_limit INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE stream (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            records INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            saved INTEGER NOT NULL DEFAULT 0,
            delivered INTEGER NOT NULL DEFAULT 0,
            entries INTEGER NOT NULL DEFAULT 0,
            retried INTEGER NOT NULL DEFAULT 0,
            evicted INTEGER NOT NULL DEFAULT 0,
            expired INTEGER NOT NULL DEFAULT 0,
            rejected INTEGER NOT NULL DEFAULT 0,
            exhausted INTEGER NOT NULL DEFAULT 0,
            cleared INTEGER NOT NULL DEFAULT 0,
            cursor INTEGER NOT NULL DEFAULT 0,
            saved_bytes INTEGER NOT NULL DEFAULT 0,
            next_sequence INTEGER NOT NULL DEFAULT 1,
            trouble TEXT NOT NULL DEFAULT '',
            trouble_at INTEGER NOT NULL DEFAULT 0,
            numbered INTEGER NOT NULL DEFAULT 0,
            numbered_before INTEGER NOT NULL DEFAULT 0,
            unnamed INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE segment (
            first_sequence INTEGER PRIMARY KEY,
            first_bytes INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            key_source INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE \(KeptRecords.table) (
            \(blockColumns),
            failures INTEGER NOT NULL DEFAULT 0,
            key_source INTEGER NOT NULL
        );
        CREATE INDEX kept_order ON \(KeptRecords.table) (\(sequence));
        CREATE TABLE imported (
            file TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        \(StoreClock.Reference.table);
        \(FilePositionTable.table);
        \(RejectedTable.table);
        \(KeySources.table);
        INSERT INTO meta (identity) VALUES (random());
        INSERT INTO stream (number, name) VALUES (0, 'all streams');
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// The table of one segment.
    static func blockTable(_ name: String) -> String { "CREATE TABLE \(name) (\(blockColumns))" }

    /// A `BlockHead` says what they are.
    private static let blockColumns = """
        id INTEGER PRIMARY KEY,
        saved_at INTEGER NOT NULL,
        span INTEGER NOT NULL,
        number INTEGER NOT NULL,
        head BLOB NOT NULL,
        data BLOB NOT NULL
        """

    /// The sequence of an id: the order in which the records of all streams were saved.
    static let sequence = "id & \(RecordID.sequences.upperBound)"

    /// Sets how the file is written, and creates the tables in a new one. Called under the write lock.
    ///
    /// `synchronous=FULL` makes "saved" mean "on disk": with NORMAL a power cut can lose acknowledged records. Debian builds
    /// SQLite with `secure_delete`, which overwrites deleted records with zeroes; it is turned off, and the pages are returned
    /// to the file system once the store is empty.
    static func prepare(_ connection: SQLiteConnection, path: String) throws(RecorderError) {
        let found = try header(of: connection, path: path)
        try StorageErrorMapping.translating(path: path, try configure(connection, isNew: found.isNew))
    }

    /// Whether a file that is only read has no tables yet. Throws if it cannot be read.
    static func isEmpty(_ connection: SQLiteConnection, path: String) throws(RecorderError) -> Bool {
        try header(of: connection, path: path).isNew
    }

    /// The header of a store's file. Throws if it is not one, or if another version wrote it.
    private static func header(of connection: SQLiteConnection, path: String) throws(RecorderError) -> Header {
        // Another program may be creating the tables.
        let found = try StorageErrorMapping.translating(
            path: path,
            try connection.readTransaction(running: try Header(of: connection))
        )
        if found.isDamaged {
            let error = SQLiteError.damage("its header is not a store's, but its tables are", action: "opening")
            throw StorageErrorMapping.error(error, path: path)
        }
        guard found.application != earlierApplicationID else {
            throw .storage(
                "\(path) was written by a version before the first release. It is left untouched: send its records with that "
                    + "version, or move the file.",
                nil
            )
        }
        guard found.isNew || found.application == applicationID else {
            throw .storage("\(path) is some other program's database. Move it, or use another key.", nil)
        }
        guard found.isNew || found.version == version else {
            throw .storage(
                "\(path) was written by another version (format \(found.version), this one knows \(version)). "
                    + "It is left untouched: use the program that wrote it, or move the file.",
                nil
            )
        }
        return found
    }

    private struct Header {
        let version: Int64
        let application: Int64
        let isNew: Bool
        /// Whether it is not the header of a store, though the tables are.
        let isDamaged: Bool

        init(of connection: SQLiteConnection) throws(SQLiteError) {
            version = try connection.integer("PRAGMA user_version") ?? 0
            application = try connection.integer("PRAGMA application_id") ?? 0
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            isNew = version == 0 && application == 0 && tables == 0
            let isOurs = application == applicationID && (1...largestVersion).contains(version)
            isDamaged = !isNew && !isOurs && application != earlierApplicationID && hasOurTables(connection)
        }
    }

    /// The size of the page cache: negative, in KiB. Pages of records are written once, and not read from the cache.
    static let cacheSize = -512
    /// How large the cache may grow during a commit, before pages go to the log one by one instead of together in the end.
    private static let largestCacheSize = -2_000

    private static func configure(_ connection: SQLiteConnection, isNew: Bool) throws(SQLiteError) {
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA secure_delete = OFF")
        // A full disk may have no room for temporary files.
        try connection.execute("PRAGMA temp_store = MEMORY")
        try connection.execute("PRAGMA cache_size = \(cacheSize); PRAGMA cache_spill = \(largestCacheSize)")
        if isNew { try connection.transaction(running: try connection.execute(tables)) }
    }

    /// Whether the tables are a store's, whatever the file's header says.
    private static func hasOurTables(_ connection: SQLiteConnection) -> Bool {
        let row = "SELECT next_sequence + (SELECT count(first_bytes) FROM segment) FROM stream WHERE number = 0"
        return (try? connection.integer(row)) != nil
    }
}

/// Identifies a store's file. A file that replaces it may have records with the same ids.
///
/// If the directory is removed, or the store is rescued, or a backup is put in its place, there is another file at the old path
/// while a flush runs. An answer to that is about the old file's records, and must remove none of the new one's.
struct StoreIdentity: Sendable, Hashable {
    /// Its own, which a copy has too.
    let number: Int64
    let file: FileIdentity?
}

extension StoreIdentity {
    /// The identity of the file that is open now.
    init(of connection: SQLiteConnection, file: FileIdentity?) throws(SQLiteError) {
        guard let number = try connection.integer("SELECT identity FROM meta") else { throw .totalsMissing }
        self.init(number: number, file: file)
    }
}
