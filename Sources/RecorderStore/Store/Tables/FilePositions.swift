import RecorderSQLite

/// How far a followed file has been read into the store. It is committed together with the records that were read.
///
/// The file is recognized by its inode, the time of its birth and its bytes, whatever its name is: a rotated file has another
/// name, an inode may be used again by another file, and some devices get another number at each boot.
package struct FilePosition: Sendable, Hashable {
    /// A checksum of some bytes of a file, and their number: the file may grow behind them.
    package struct Fingerprint: Sendable, Hashable {
        package let length: Int
        let sum: Int64

        /// That of no bytes.
        package static let none = Fingerprint(length: 0, sum: 0)

        package init(of bytes: UnsafeRawBufferPointer) {
            length = bytes.count
            sum = unsafe bytes.isEmpty ? 0 : Int64(bitPattern: RecordChecksum.of(bytes))
        }

        init(length: Int, sum: Int64) {
            self.length = length
            self.sum = sum
        }
    }

    /// A byte of a file, and the bytes before it.
    package struct Point: Sendable, Hashable {
        package var offset = 0
        package var tail = Fingerprint.none

        package init() {}

        /// Whether the bytes before it are all those of the file, and not none.
        package var isWhole: Bool { offset > 0 && tail.length == offset }
    }

    /// The stream that the lines go to, as the flow names it. Each stream has positions of its own.
    package var stream: String
    /// The pattern by which the flow found the file.
    package var pattern: String
    /// The file's path when the position was stored.
    package var path = ""
    package var device: UInt64 = 0
    /// The device of its directory: one that is not mounted shows other files under the same name.
    package var directoryDevice: UInt64 = 0
    /// 0 for the mark of a pattern.
    package var inode: UInt64 = 0
    /// When the file was created, in nanoseconds since 1970; 0 where the file system does not say. In the mark of a pattern: when
    /// its files were first looked for, if some could not be looked at then; otherwise 0.
    package var birth: Int64 = 0
    /// The boot during which the position was stored. A power cut may take the end of a file that was not synced.
    package var boot = ""
    /// Of the first bytes of the file.
    package var head = Fingerprint.none
    /// Of the last bytes before `offset`.
    package var tail = Fingerprint.none
    /// Of all bytes that were read before `offset`. A copy of the file has them, too.
    package var sum = ContentSum()
    /// Every line before this byte is stored, or was refused.
    package var offset = 0
    /// An earlier position, of a minute before or more: the kernel has written the bytes before it to disk since.
    package var settled = Point()
    /// Whether the file was read to its end after it was rotated, so that nothing is missing if it is gone.
    package var isFinished = false
    /// Whether the file is gone: a compressed one may have its content.
    package var isGone = false

    package init(stream: String, pattern: String) {
        self.stream = stream
        self.pattern = pattern
    }

    /// The position without the file.
    package var point: Point {
        var point = Point()
        (point.offset, point.tail) = (offset, tail)
        return point
    }

    /// Whether this is no position, but says that files of the pattern have been followed: a new file is read from its start.
    package var isPatternMark: Bool { inode == 0 }

    /// The same for each position of a file by one stream, or mark of a pattern by one stream.
    package var id: Int64 {
        let text = isPatternMark ? "\(stream)\0\(pattern)" : "\(stream)\0\(device)\0\(inode)\0\(birth)"
        // Positive, and so small that it can be the first byte of a locked range. 0 is the mark of lost positions.
        return max(text.checksum & (1 << 62 - 1), 1)
    }

    /// How `isFinished` and `isGone` are stored.
    fileprivate var ending: Int64 { (isFinished ? 1 : 0) | (isGone ? 2 : 0) }

    /// Of everything, so that damage is not taken for a position.
    fileprivate var checksum: Int64 {
        """
        \(stream)\0\(pattern)\0\(path)\0\(device)\0\(inode)\0\(birth)\0\(boot)\0\(head.length)\0\(head.sum)\0\
        \(tail.length)\0\(tail.sum)\0\(offset)\0\(ending)\0\(directoryDevice)\0\(settled.offset)\0\
        \(settled.tail.length)\0\(settled.tail.sum)\0\(sum.start)\0\(sum.value)
        """.checksum
    }
}

/// What one save changes of the positions.
package struct FilePositionChanges: Sendable {
    package var stored: [FilePosition]
    /// The ids of positions whose files are gone.
    package var forgotten: [Int64]

    package init(stored: [FilePosition] = [], forgotten: [Int64] = []) {
        self.stored = stored
        self.forgotten = forgotten
    }
}

/// The positions of a store.
package struct FilePositions: Sendable {
    package var positions: [FilePosition] = []
    /// The ids of rows that were altered by damage.
    package var damaged: [Int64] = []
    /// When a rescue of the damaged store last lost positions, in nanoseconds since 1970; nil if none ever did. Marks of patterns
    /// from before that are lost as well.
    package var lostBefore: Int64?

    package init() {}

    /// Reads the positions of one stream, or all of them, without those that are known.
    init(_ connection: SQLiteConnection, of stream: String?, except known: Set<Int64>) throws(SQLiteError) {
        let rows = try connection.prepare(
            stream == nil
                ? FilePositionTable.query
                : "\(FilePositionTable.query) WHERE stream = ?1 OR id = \(FilePositionTable.lossMark)"
        )
        if let stream { try rows.bind(stream, at: 1) }
        while try rows.step() {
            if !known.contains(rows.integer(at: 0)) { add(rows) }
        }
    }

    /// Reads what can be read of a damaged store.
    init(damaged connection: SQLiteConnection?) throws(SQLiteError) {
        // From its start up to damage, then from its end back to it.
        var isComplete = false
        for order in ["ASC", "DESC"] where !isComplete {
            let query = "\(FilePositionTable.query) ORDER BY id \(order)"
            guard let rows = try SQLiteError.ignoringDamage(try connection?.prepare(query)) else { continue }
            while !isComplete, let hasRow = try SQLiteError.ignoringDamage(try rows.step()) {
                if hasRow { add(rows) } else { isComplete = true }
            }
        }
        // The second way may meet rows of the first.
        var seen: Set<FilePosition> = []
        positions.removeAll { !seen.insert($0).inserted }
        if !isComplete || !damaged.isEmpty { lostBefore = Self.now }
        if lostBefore != nil { positions.removeAll(where: \.isPatternMark) }
    }

    /// In nanoseconds since 1970, to the millisecond.
    private static var now: Int64 { SystemClock.system.now().milliseconds * 1_000_000 }

    private mutating func add(_ row: SQLiteStatement) {
        guard row.integer(at: 0) != FilePositionTable.lossMark else {
            let (time, sum) = (row.integer(at: 7), row.integer(at: 14))
            lostBefore = time > 0 && sum == time ? time : .max
            return
        }
        guard let position = FilePosition(row) else { return damaged.append(row.integer(at: 0)) }
        positions.append(position)
    }
}

/// The table of positions. Belongs to the writer; every method runs inside its transaction.
final class FilePositionTable {
    fileprivate static let name = "file_position"
    fileprivate static let query = """
        SELECT id, stream, pattern, path, boot, device, inode, birth, head_length, head, tail_length, tail, offset,
            is_finished, sum, directory_device, settled_offset, settled_length, settled, read_from, read
        FROM \(name)
        """
    /// The id of a row that says when positions were lost.
    fileprivate static let lossMark: Int64 = 0

    private let connection: SQLiteConnection
    /// nil until it is used.
    private var storing: SQLiteStatement?

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func apply(_ changes: FilePositionChanges) throws(SQLiteError) {
        for id in changes.forgotten { try connection.execute("DELETE FROM \(Self.name) WHERE id = \(id)") }
        guard !changes.stored.isEmpty else { return }
        let store = try storingStatement()
        for position in changes.stored { try store.run(binding: position) }
    }

    /// Stores what could be read of a damaged store.
    func restore(_ rescued: FilePositions) throws(SQLiteError) {
        guard rescued.lostBefore != nil || !rescued.positions.isEmpty else { return }
        try apply(FilePositionChanges(stored: rescued.positions))
        guard let time = rescued.lostBefore else { return }
        try connection.execute(
            """
            INSERT INTO \(Self.name)
            VALUES (\(Self.lossMark), '', '', '', '', 0, 0, \(time), 0, 0, 0, 0, 0, 0, \(time), 0, 0, 0, 0, 0, 0)
            """
        )
    }

    static let table = """
        CREATE TABLE \(name) (
            id INTEGER PRIMARY KEY, stream TEXT NOT NULL, pattern TEXT NOT NULL, path TEXT NOT NULL,
            boot TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL, birth INTEGER NOT NULL,
            head_length INTEGER NOT NULL, head INTEGER NOT NULL, tail_length INTEGER NOT NULL,
            tail INTEGER NOT NULL, offset INTEGER NOT NULL, is_finished INTEGER NOT NULL, sum INTEGER NOT NULL,
            directory_device INTEGER NOT NULL, settled_offset INTEGER NOT NULL, settled_length INTEGER NOT NULL,
            settled INTEGER NOT NULL, read_from INTEGER NOT NULL, read INTEGER NOT NULL
        )
        """

    private func storingStatement() throws(SQLiteError) -> SQLiteStatement {
        if let storing { return storing }
        let new = try connection.prepare(
            """
            INSERT OR REPLACE INTO \(Self.name)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
            """
        )
        storing = new
        return new
    }
}

@available(*, unavailable)
extension FilePositionTable: Sendable {}

extension FilePosition {
    /// nil if the row was altered.
    fileprivate init?(_ row: SQLiteStatement) {
        self.init(stream: row.text(at: 1), pattern: row.text(at: 2))
        path = row.text(at: 3)
        boot = row.text(at: 4)
        device = UInt64(bitPattern: row.integer(at: 5))
        inode = UInt64(bitPattern: row.integer(at: 6))
        birth = row.integer(at: 7)
        head = Fingerprint(length: Int(row.integer(at: 8)), sum: row.integer(at: 9))
        tail = Fingerprint(length: Int(row.integer(at: 10)), sum: row.integer(at: 11))
        offset = Int(row.integer(at: 12))
        (isFinished, isGone) = (row.integer(at: 13) & 1 != 0, row.integer(at: 13) & 2 != 0)
        directoryDevice = UInt64(bitPattern: row.integer(at: 15))
        settled.offset = Int(row.integer(at: 16))
        settled.tail = Fingerprint(length: Int(row.integer(at: 17)), sum: row.integer(at: 18))
        let value = UInt64(bitPattern: row.integer(at: 20))
        sum = ContentSum(start: Int(row.integer(at: 19)), end: max(offset & ~7, 0), value: value)
        guard row.integer(at: 14) == checksum, row.integer(at: 0) == id else { return nil }
    }
}

extension SQLiteStatement {
    fileprivate func run(binding position: FilePosition) throws(SQLiteError) {
        let texts = [position.stream, position.pattern, position.path, position.boot]
        let (head, tail, settled) = (position.head, position.tail, position.settled)
        let numbers = [
            Int64(bitPattern: position.device), Int64(bitPattern: position.inode), position.birth, Int64(head.length),
            head.sum, Int64(tail.length), tail.sum, Int64(position.offset), position.ending,
            position.checksum, Int64(bitPattern: position.directoryDevice), Int64(settled.offset),
            Int64(settled.tail.length), settled.tail.sum, Int64(position.sum.start),
            Int64(bitPattern: position.sum.value),
        ]
        try bind(position.id, at: 1)
        for (index, text) in texts.enumerated() { try bind(text, at: Int32(index + 2)) }
        for (index, number) in numbers.enumerated() { try bind(number, at: Int32(index + 6)) }
        try run()
    }
}
