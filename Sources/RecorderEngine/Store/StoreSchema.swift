import RecorderSQLite

/// The tables of a store, and what a file must be before it is one.
enum StoreSchema {
    /// "AWSR": tells a store from any other SQLite file.
    static let applicationID: Int64 = 0x4157_5352
    static let version: Int64 = 2
    /// A number beyond this is no version that ever will be, but damage.
    private static let largestVersion: Int64 = 255

    /// `stream` holds one small row a stream, kept in the same transaction as its records, so that counts, bytes and
    /// limits cost the same at any backlog. Row 0 is the store as a whole: its name is the file's `StoreIdentity`, and
    /// it alone uses the columns between `records` and `cursor` and behind that: fewer rows change with a record. Always
    /// saved = records + delivered + evicted + expired + rejected + exhausted + cleared.
    ///
    /// `cursor` is the sequence through which the stream's records are gone: they are dead rows in their segment's table,
    /// until that is dropped. `trouble` is why the stream's last flush kept records back; the limits, in row 0 alone, are
    /// those of the last saver (-1: none yet). `segment` lists those tables, see `StoreSegments`. `imported` names the
    /// foreign files whose records are here, until they are renamed. `StoreClock` adds a table of its own.
    private static let tables = """
        CREATE TABLE stream (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            records INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            saved INTEGER NOT NULL DEFAULT 0,
            delivered INTEGER NOT NULL DEFAULT 0,
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
            trouble_at INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE segment (
            first_sequence INTEGER PRIMARY KEY,
            first_bytes INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE imported (
            file TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        INSERT INTO stream (number, name) VALUES (0, random());
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// The table of one segment; `id` is a `RecordID`, `sum` its `RecordChecksum`: a row without one is damaged.
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

    /// Settles how the file is written, and creates the tables in a new one. Called under the write lock.
    ///
    /// `synchronous=FULL` makes "saved" mean "on disk": with NORMAL a power cut can take acknowledged records.
    /// Debian builds SQLite with `secure_delete`, which writes zeroes over what was delivered; it is off while
    /// records flow, and the pages go back to the file system once the store is empty.
    static func prepare(_ connection: SQLiteConnection, path: String) throws(RecorderError) {
        let found = try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
            (
                version: try connection.integer("PRAGMA user_version") ?? 0,
                application: try connection.integer("PRAGMA application_id") ?? 0,
                tables: try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            )
        }
        let isNew = found == (0, 0, 0)
        if !isNew, found.application != applicationID || !(1...largestVersion).contains(found.version),
            hasOurTables(connection)
        {
            let error = SQLiteError.damage("its header is not a store's, but its tables are", action: "opening")
            try StorageErrorMapping.naming(path) { () throws(SQLiteError) in throw error }
        }
        guard isNew || found.application == applicationID else {
            throw .storage("\(path) is some other program's database. Move it, or use another key.", nil)
        }
        guard found.version <= version else {
            throw .storage(
                "\(path) was written by a newer version (format \(found.version), this one knows \(version)). "
                    + "It is left untouched: upgrade this program.",
                nil
            )
        }
        try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.execute("PRAGMA synchronous = FULL")
            try connection.execute("PRAGMA secure_delete = OFF")
            if isNew { try connection.transaction { () throws(SQLiteError) in try connection.execute(tables) } }
            if found.version == 1 { try upgrade(connection) }
        }
    }

    /// Runs `body`, which works with tables that must be there: where one or its columns are not, damage took them.
    static func expected<T>(_ body: () throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        do {
            return try body()
        } catch {
            throw error.asDamage
        }
    }

    /// From version 1 to 2: records have sums; a store knows its limits and what kept its records back.
    private static func upgrade(_ connection: SQLiteConnection) throws(SQLiteError) {
        try expected { () throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                let segments = try connection.prepare("SELECT first_sequence FROM segment")
                var firsts: [Int64] = []
                while try segments.step() { firsts.append(segments.integer(at: 0)) }
                for first in firsts { try addSums(to: "record_\(first)", connection) }
                for column in [
                    "byte_limit INTEGER NOT NULL DEFAULT -1", "age_limit INTEGER NOT NULL DEFAULT 0",
                    "trouble TEXT NOT NULL DEFAULT ''", "trouble_at INTEGER NOT NULL DEFAULT 0",
                ] {
                    try connection.execute("ALTER TABLE stream ADD COLUMN \(column)")
                }
                try connection.execute("PRAGMA user_version = 2")
            }
        }
    }

    private static func addSums(to table: String, _ connection: SQLiteConnection) throws(SQLiteError) {
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

/// Tells a store's file from any other that takes its place, whose records have the same ids.
///
/// A directory that is removed under us, and a rescue, put a new file at the old path while a request is on its way: its
/// answer is about the old file's records, and must remove none of the new one's.
struct StoreIdentity: Sendable, Hashable {
    private let number: Int64

    /// The identity of the file that is open now.
    init(of connection: SQLiteConnection) throws(SQLiteError) {
        number = try connection.integer("SELECT name FROM stream WHERE number = 0") ?? 0
    }
}
