internal import CRecorderSQLite

extension SQLiteConnection {
    /// This connection's commits that a power cut may take back; 0 after a sync that failed: then the next one is not left out.
    package var unsyncedCommits: Int {
        if case .commits(let count)? = BufferingVFS(.log, of: handle)?.unsynced { Int(count) } else { 0 }
    }

    /// Whether there is nothing to sync in the log, as far as this connection knows.
    package var isLogSynced: Bool { BufferingVFS(.log, of: handle).map { $0.unsynced == .nothing } ?? true }

    /// False after a sync of the database that failed outside of a checkpoint, until a checkpoint was told to copy all.
    package var isDatabaseWritten: Bool { BufferingVFS(.database, of: handle)?.unsynced != .hole }

    /// Syncs the log; false if the disk cannot now: the next sync repeats it. Called while no other connection writes.
    @discardableResult
    package func syncLog() -> Bool {
        isLogSynced || BufferingVFS(.log, of: handle)?.sync(SQLITE_SYNC_NORMAL) == SQLITE_OK
    }

    /// Whether the log ends as its index says: false if another program has written to it or made it shorter. True if this
    /// connection has not used the index yet. Called while no connection writes.
    ///
    /// The index has the checksum of the last frame, which is one of all frames: https://www.sqlite.org/walformat.html
    package var hasWholeLog: Bool {
        guard let database = BufferingVFS(.database, of: handle), let log = BufferingVFS(.log, of: handle),
            let index = database.file.pointee.index, let end = LogEnd(UnsafeRawPointer(index)), end.frames > 0
        else { return true }
        var frame = [UInt8](repeating: 0, count: LogEnd.frameHeader)
        let offset = LogFile.bytes(pages: end.frames - 1)
        switch log.system.xRead(log.below, &frame, Int32(frame.count), Int64(offset)) {
        case SQLITE_OK: return end.isEnd(ofFrame: frame)
        case SQLITE_IOERR | 2 << 8: return false  // SQLITE_IOERR_SHORT_READ
        default: return true
        }
    }
}

/// What the index of a log says about the log's end.
private struct LogEnd {
    let frames: Int
    private let salt: [UInt8]
    private let checksum: [UInt32]

    static let frameHeader = 24
    /// The index begins with two copies of its header.
    private static let indexHeader = 48

    /// nil if the index is being written, or has no content.
    init?(_ index: UnsafeRawPointer) {
        let header = UnsafeRawBufferPointer(start: index, count: Self.indexHeader)
        let copy = UnsafeRawBufferPointer(start: index + Self.indexHeader, count: Self.indexHeader)
        guard header.elementsEqual(copy), header[12] != 0 else { return nil }
        frames = Int(header.load(fromByteOffset: 16, as: UInt32.self))
        checksum = [24, 28].map { header.load(fromByteOffset: $0, as: UInt32.self) }
        salt = Array(header[32..<40])
    }

    func isEnd(ofFrame frame: [UInt8]) -> Bool {
        let sums = frame.withUnsafeBytes { frame in
            [16, 20].map { UInt32(bigEndian: frame.load(fromByteOffset: $0, as: UInt32.self)) }
        }
        return Array(frame[8..<16]) == salt && sums == checksum
    }
}
