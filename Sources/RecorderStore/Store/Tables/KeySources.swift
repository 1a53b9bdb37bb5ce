import RecorderAWS
import RecorderSQLite

/// The `KeySource` of new segments. Belongs to the writer; every method runs inside its transaction.
///
/// A file that was copied, or restored from a copy, would give its records the keys of others. A source therefore lasts for one
/// boot, for one file on one disk, and as long as only this library writes to the file: otherwise a new one is drawn. One too
/// many costs a segment, and an audit begins anew.
final class KeySources {
    private let connection: SQLiteConnection
    private let place: String

    /// `file` is the path of the one that the connection has opened.
    init(_ connection: SQLiteConnection, of file: String, clock: SystemClock) {
        self.connection = connection
        place = "\(FilePlace(file)?.description ?? "") \(Self.boot(clock))"
    }

    /// Where the boot has no identity, because `/proc` is not mounted, the time of the boot, so coarse that a clock which is
    /// adjusted hardly changes it.
    private static func boot(_ clock: SystemClock) -> String {
        let boot = clock.boot().trimmed()
        guard boot.isEmpty else { return String(boot) }
        return "\((clock.now().milliseconds - clock.uptime().milliseconds) / 600_000)"
    }

    /// The source for the next record of this file.
    func current() throws(SQLiteError) -> KeySource {
        let row = try connection.prepare("SELECT key_source, key_place FROM meta")
        let last = try row.step() ? KeySource(stored: row.integer(at: 0)) : nil
        if let last, row.text(at: 1) == place { return last }
        row.reset()
        if let last { try connection.execute(Self.keeping(last)) }
        try connection.execute("UPDATE stream SET numbered_before = numbered, unnamed = 0 WHERE number > 0")
        let source = KeySource.random()
        let update = try connection.prepare("UPDATE meta SET key_source = ?1, key_place = ?2")
        try update.bind(source.stored, at: 1)
        try update.bind(place, at: 2)
        try update.run()
        return source
    }

    /// Ends the source: the next record gets a new one. Changes one row only, because a full disk may have no room for more.
    func end() throws(SQLiteError) {
        try connection.execute("UPDATE meta SET key_place = ''")
    }

    /// An audit asks which records were numbered under a source that has ended.
    static let table = """
        CREATE TABLE earlier_source (
            id INTEGER PRIMARY KEY,
            key_source INTEGER NOT NULL,
            stream INTEGER NOT NULL,
            first INTEGER NOT NULL,
            next INTEGER NOT NULL,
            unnamed INTEGER NOT NULL
        )
        """

    /// At most this many ranges are kept, the newest. A source has one for each stream with records.
    private static let most = 256

    private static func keeping(_ source: KeySource) -> String {
        """
        INSERT INTO earlier_source (key_source, stream, first, next, unnamed)
            SELECT \(source.stored), number, numbered_before, numbered, unnamed FROM stream
            WHERE number > 0 AND numbered > numbered_before ORDER BY cursor DESC LIMIT \(most);
        DELETE FROM earlier_source WHERE id <= (SELECT max(id) FROM earlier_source) - \(most)
        """
    }
}

@available(*, unavailable)
extension KeySources: Sendable {}
