import FoundationEssentials
import RecorderSQLite

/// The `KeySource` of new segments. Belongs to the writer; every method runs inside its transaction.
///
/// A file that was copied or restored from an image would give its records the same keys as the other copy. So the place of the
/// file is stored with the source, and at any other place a new source is drawn.
final class KeySources {
    private let connection: SQLiteConnection
    private let file: FileIdentity?
    private lazy var place = Self.place(of: file)

    /// `file` is the one that the connection has opened.
    init(_ connection: SQLiteConnection, file: FileIdentity?) {
        self.connection = connection
        self.file = file
    }

    /// Device, inode and machine.
    private static func place(of file: FileIdentity?) -> String {
        // https://www.freedesktop.org/software/systemd/man/latest/machine-id.html
        let machine = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? ""
        return "\(file.map { "\($0)" } ?? "") \(machine.prefix { $0.isHexDigit })"
    }

    /// The source for the next record of this file.
    func current() throws(SQLiteError) -> KeySource {
        let row = try connection.prepare("SELECT key_source, place FROM stream WHERE number = 0")
        if try row.step(), let source = KeySource(stored: row.integer(at: 0)), row.text(at: 1) == place {
            return source
        }
        row.reset()
        let source = KeySource.random()
        let update = try connection.prepare("UPDATE stream SET key_source = ?1, place = ?2 WHERE number = 0")
        try update.bind(source.stored, at: 1)
        try update.bind(place, at: 2)
        try update.run()
        try connection.execute("UPDATE stream SET key_source = numbered, delivered = 0 WHERE number > 0")
        return source
    }
}

@available(*, unavailable)
extension KeySources: Sendable {}
