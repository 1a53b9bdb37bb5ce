import RecorderAWS
import RecorderSQLite

/// The tables of a store, and the checks of a file that is opened as one.
enum StoreSchema {
    /// "AWSR": distinguishes a store from other SQLite files.
    static let applicationID: Int64 = 0x4157_5352
    static let version: Int64 = 4
    /// Files of earlier versions have no blocks, and are read only after an upgrade.
    static let oldestReadable: Int64 = 3
    /// A larger version number is corruption.
    private static let largestVersion: Int64 = 255

    /// `stream` has one small row per stream, updated in the same transaction as its records, so that counts, bytes and limits
    /// cost the same at any backlog. Row 0 is the store as a whole: its name is the file's `StoreIdentity`, and only it uses
    /// the columns other than `records`, `bytes`, `cursor` and `trouble`: fewer rows change with a record. Always
    /// saved = records + delivered + evicted + expired + rejected + exhausted + cleared. `entries` are those of requests that the
    /// service accepted: several records may share one.
    ///
    /// `cursor` is the sequence through which the stream's records are deleted or in the table `kept`: in the segment's table
    /// they stay until that is emptied. `numbered` counts the stream's records that were ever saved without a key. In row 0,
    /// `key_source` is the newest segment's `KeySource`, and `place` the file that it was drawn for; in a stream's row,
    /// `key_source` is what `numbered` was at that time, and `delivered` counts the records since then that were delivered under
    /// random keys, or without keys, which do not name them. While row 0 has no `key_source`, all of that belongs to an earlier one. `trouble` is why the stream's last flush kept records; the limits, in
    /// row 0, are those of the last process that saved (-1: none yet). `segment` lists the record
    /// tables, see `StoreSegments`. `imported` lists the files whose records were imported, until they are renamed.
    /// `StoreClock` adds a table of its own.
    static let tables = """
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
            byte_limit INTEGER NOT NULL DEFAULT -1,
            age_limit INTEGER NOT NULL DEFAULT 0,
            trouble TEXT NOT NULL DEFAULT '',
            trouble_at INTEGER NOT NULL DEFAULT 0,
            numbered INTEGER NOT NULL DEFAULT 0,
            key_source INTEGER NOT NULL DEFAULT 0,
            place TEXT NOT NULL DEFAULT ''
        );
        CREATE TABLE segment (
            first_sequence INTEGER PRIMARY KEY,
            first_bytes INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            key_source INTEGER NOT NULL DEFAULT 0
        );
        \(keptTable);
        CREATE TABLE imported (
            file TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        INSERT INTO stream (number, name) VALUES (0, random());
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// The table of one segment: a `BlockHead` says what its columns are.
    static func blockTable(_ name: String) -> String {
        """
        CREATE TABLE \(name) (
            id INTEGER PRIMARY KEY,
            saved_at INTEGER NOT NULL,
            span INTEGER NOT NULL,
            number INTEGER NOT NULL,
            head BLOB NOT NULL,
            data BLOB NOT NULL
        )
        """
    }

    /// The sequence of an id: the order in which the records of all streams were saved.
    static let sequence = "id & \(RecordID.sequences.upperBound)"

    /// The table of `KeptRecords`, with an index of the order in which they were saved.
    private static let keptTable = """
        \(recordTable(KeptRecords.table));
        CREATE INDEX kept_order ON \(KeptRecords.table) (\(sequence))
        """

    /// A table with a row for each record; `id` is a `RecordID`, `sum` its `RecordChecksum`. A row without a checksum is damaged.
    /// Versions 1 and 2 stored the records of segments so.
    static func recordTable(_ name: String) -> String {
        """
        CREATE TABLE \(name) (
            id INTEGER PRIMARY KEY,
            saved_at INTEGER NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0,
            sum INTEGER,
            partition_key TEXT NOT NULL,
            data BLOB NOT NULL
        )
        """
    }

    /// Sets how the file is written, and creates the tables in a new one. Called under the write lock.
    ///
    /// `synchronous=FULL` makes "saved" mean "on disk": with NORMAL a power cut can lose acknowledged records. Debian builds
    /// SQLite with `secure_delete`, which overwrites deleted records with zeroes; it is turned off, and the pages are returned
    /// to the file system once the store is empty.
    static func prepare(_ connection: SQLiteConnection, path: String) throws(RecorderError) {
        let found = try header(of: connection, path: path)
        if !found.isNew, found.version < version { try excludeOthers(connection, path: path) }
        try StorageErrorMapping.translating(path: path, try configure(connection, header: found))
    }

    /// The format of a file that is only read; nil if it has no tables yet. Throws if it cannot be read as it is.
    static func readableFormat(of connection: SQLiteConnection, path: String) throws(RecorderError) -> Int64? {
        let found = try header(of: connection, path: path)
        guard !found.isNew, found.version < oldestReadable else { return found.isNew ? nil : found.version }
        throw .storage(
            "\(path) was written by an older version (format \(found.version)). Opening it to save, to submit or for its status "
                + "upgrades it; then it can be read.",
            nil
        )
    }

    /// The header of a store's file. Throws if it is not one, or if a newer version wrote it.
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
        guard found.isNew || found.application == applicationID else {
            throw .storage("\(path) is some other program's database. Move it, or use another key.", nil)
        }
        guard found.version <= version else {
            throw .storage(
                "\(path) was written by a newer version (format \(found.version), this one knows \(version)). "
                    + "It is left untouched: upgrade this program.",
                nil
            )
        }
        return found
    }

    /// Throws if another connection has a file open that is to be upgraded: SQLite leaves WAL mode only if there is none.
    ///
    /// A program of an older version that went on with the file would take its new tables for damage, and replace it by one
    /// without their records. Once it opens the file again, it refuses it.
    private static func excludeOthers(_ connection: SQLiteConnection, path: String) throws(RecorderError) {
        do {
            try connection.execute("PRAGMA journal_mode = DELETE")
        } catch {
            guard error.isBusy else { throw StorageErrorMapping.error(error, path: path) }
            throw .storage(
                "\(path) was written by an older version, and another program has it open (`fuser \(FileRights.quoted(path))` names it). "
                    + "Stop that program or upgrade it as well; the file is upgraded when it is opened next.",
                error
            )
        }
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
            isDamaged = !isNew && !isOurs && hasOurTables(connection)
        }
    }

    /// The size of the page cache: negative, in KiB. Pages of records are written once, and not read from the cache.
    static let cacheSize = -512
    /// How large the cache may grow during a commit, before pages go to the log one by one instead of together in the end.
    private static let largestCacheSize = -2_000

    private static func configure(_ connection: SQLiteConnection, header: Header) throws(SQLiteError) {
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA secure_delete = OFF")
        // A full disk may have no room for temporary files.
        try connection.execute("PRAGMA temp_store = MEMORY")
        try connection.execute("PRAGMA cache_size = \(cacheSize); PRAGMA cache_spill = \(largestCacheSize)")
        if header.isNew { try connection.transaction(running: try connection.execute(tables)) }
        if !header.isNew, header.version < version {
            try connection.transaction(running: try upgrade(connection, from: header.version))
        }
    }

    /// Columns that files of earlier versions lack, with the version that brought them.
    static let additions: [(version: Int64, table: String, columns: [String])] = [
        (
            2, "stream",
            [
                "byte_limit INTEGER NOT NULL DEFAULT -1", "age_limit INTEGER NOT NULL DEFAULT 0",
                "trouble TEXT NOT NULL DEFAULT ''", "trouble_at INTEGER NOT NULL DEFAULT 0",
            ]
        ),
        (
            3, "stream",
            [
                "numbered INTEGER NOT NULL DEFAULT 0", "key_source INTEGER NOT NULL DEFAULT 0",
                "place TEXT NOT NULL DEFAULT ''",
            ]
        ),
        (3, "segment", ["key_source INTEGER NOT NULL DEFAULT 0"]),
        (4, "stream", ["entries INTEGER NOT NULL DEFAULT 0"]),
    ]

    /// Brings an older file to this version. Its records stay where they are.
    private static func upgrade(_ connection: SQLiteConnection, from version: Int64) throws(SQLiteError) {
        if version < 2 { try addChecksums(connection) }
        for addition in additions where version < addition.version {
            try addColumns(addition.columns, to: addition.table, connection)
        }
        if version < 3 { try connection.execute(keptTable) }
        // Until version 4, each record had an entry of its own.
        try connection.execute("UPDATE stream SET entries = delivered; PRAGMA user_version = \(Self.version)")
        // Version 3 did not note from which record on a copied file had another source. Keys are used once in any case, but an
        // audit would look for the earlier ones under the new source.
        try connection.execute("UPDATE stream SET key_source = numbered WHERE number > 0")
    }

    private static func addChecksums(_ connection: SQLiteConnection) throws(SQLiteError) {
        let segments = try connection.prepare("SELECT first_sequence FROM segment")
        var firsts: [Int64] = []
        while try segments.step() { firsts.append(segments.integer(at: 0)) }
        for first in firsts { try addChecksums(to: "record_\(first)", connection: connection) }
    }

    private static func addColumns(
        _ columns: [String],
        to table: String,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) {
        for column in columns { try connection.execute("ALTER TABLE \(table) ADD COLUMN \(column)") }
    }

    private static func addChecksums(to table: String, connection: SQLiteConnection) throws(SQLiteError) {
        try connection.execute("ALTER TABLE \(table) ADD COLUMN sum INTEGER")
        let rows = try connection.prepare("SELECT id, partition_key, data FROM \(table)")
        let update = try connection.prepare("UPDATE \(table) SET sum = ?2 WHERE id = ?1")
        while try rows.step() {
            let id = RecordID(rawValue: rows.integer(at: 0))
            try update.bind(id.rawValue, at: 1)
            try update.bind(unsafe RecordChecksum.of(id, key: rows.bytes(at: 1), data: rows.bytes(at: 2)), at: 2)
            try update.run()
        }
    }

    /// Whether the tables are a store's, whatever the file's header says.
    private static func hasOurTables(_ connection: SQLiteConnection) -> Bool {
        let row = "SELECT next_sequence + (SELECT count(first_bytes) FROM segment) FROM stream WHERE number = 0"
        return (try? connection.integer(row)) != nil
    }
}

/// Identifies a store's file. A file that replaces it may have records with the same ids.
///
/// If the directory is removed, or the store is rescued, there is a new file at the old path while a request is in flight. Its
/// answer is about the old file's records, and must remove none of the new one's.
struct StoreIdentity: Sendable, Hashable {
    private let number: Int64

    /// The identity of the file that is open now.
    init(of connection: SQLiteConnection) throws(SQLiteError) {
        number = try connection.integer("SELECT name FROM stream WHERE number = 0") ?? 0
    }
}
