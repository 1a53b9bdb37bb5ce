import Glibc
import RecorderConcurrency
import RecorderEngine

/// A file that is read from a position on, whatever its name is by now. Used by the follower's thread only.
final class FollowedFile {
    /// How long the kernel takes at most to write what was written to a file, as it is configured by default: 30 seconds, and up
    /// to 5 more (https://docs.kernel.org/admin-guide/sysctl/vm.html, dirty_expire_centisecs).
    private static let settlingTime = Duration.seconds(60)

    let key: FileKey
    /// Its path as of the last scan; `base` is the path that it had before it was rotated.
    private(set) var path: String
    let base: String
    /// nil if the last scan showed that it is gone.
    private(set) var relation: FilePattern.Relation?
    private var directoryDevice: UInt64
    /// nil while it is at rest: it was rotated away, and read to its end. There may be many such files.
    private var reader: FileReader?
    /// Whether there may be something to read.
    var hasNews = true
    /// Whether its last line is being stored, after which it is forgotten.
    var isEnding = false
    /// Whether it is forgotten then; otherwise it is at rest.
    var isGone = false
    /// Whether an event of it is awaited.
    var isArmed = false
    /// When something was read last.
    private(set) var lastGrowth = ContinuousClock.now
    /// Of the last save that was begun.
    private(set) var position: FilePosition
    /// nil while it is at rest: its position is stored.
    private(set) var saves: FileSaves?

    /// What was refused before the last beginning.
    private var earlier = FollowEnd()
    /// What becomes the settled point of the position, and when it was the position.
    private var settling: (point: FilePosition.Point, since: ContinuousClock.Instant)

    /// Takes over an open file.
    init(_ found: FoundFile, in flow: FileFlow, descriptor: Int32, saves: FileSaves) {
        key = found.key
        path = found.path
        base = found.base
        relation = found.relation
        directoryDevice = found.directoryDevice
        position = saves.stored
        settling = (position.point, .now)
        self.saves = saves
        reader = FileReader(descriptor, flow, at: position)
    }

    /// Closes the file. All of its lines that are passed on must be stored.
    func rest() {
        earlier.add(counts)
        (reader, saves) = (nil, nil)
    }

    /// Why a save since the last beginning failed.
    var failure: RecorderError? { saves?.failure }
    var hasSavesUnderWay: Bool { saves?.areUnderWay ?? false }
    /// The last position that was stored.
    var storedPosition: FilePosition { saves?.stored ?? position }
    /// Whether the store has a position of it. Without one, a file that is gone at the next start would not be missed.
    var isPositionStored: Bool { saves?.isStored ?? true }
    /// Whether the lines that are stored are in the open file still.
    var holdsStoredLines: Bool {
        let stored = storedPosition
        guard let descriptor, stored.offset > 0 else { return false }
        return FileStart(stored, of: descriptor, birth: stored.birth, boot: stored.boot) == .resumed
    }
    /// nil while it is at rest.
    var descriptor: Int32? { reader?.descriptor }
    /// Whether the open file is on a file system of another machine.
    var isRemote: Bool { reader?.isRemote ?? false }
    var isWithinLine: Bool { reader?.isWithinLine ?? false }
    var holdsRecord: Bool { reader?.holdsRecord ?? false }
    /// Since the last beginning.
    var counts: RecordCounts { reader?.counts ?? RecordCounts() }
    /// Whether lines were refused or left out since the last save.
    var isAheadOfPosition: Bool { (reader?.offset ?? 0) > position.offset }
    /// Whether the open file has no name any more.
    var isDeleted: Bool { reader?.isDeleted ?? false }
    /// The bytes of the open file behind the last position that was stored.
    var unreadBytes: Int { reader?.size.map { max($0 - storedPosition.offset, 0) } ?? 0 }
    /// Whether the open file has bytes that were not read.
    var hasGrown: Bool { reader?.hasGrown ?? false }

    /// How long the file with its path is now; nil if there is none.
    var sizeAtPath: Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Takes over where a scan found it; nil if it is gone.
    func update(_ found: FoundFile?) {
        if found?.relation != relation || found == nil { hasNews = true }
        // A program may still write to a file that is gone.
        if found == nil, relation != nil { lastGrowth = .now }
        relation = found?.relation
        guard let found else { return }
        (path, directoryDevice) = (found.path, found.directoryDevice)
    }

    // MARK: - reading

    /// Reads what follows, and passes complete records to `save`, together with the position after them.
    func read(atMost size: Int, _ save: (PayloadList, FilePosition) -> Void) -> FileReader.Reading {
        guard let reader else { return .end }
        let end = reader.end
        let reading = reader.read(atMost: size) { lines in pass(lines, of: reader, to: save) }
        if reader.end > end { lastGrowth = .now }
        return reading
    }

    /// Passes on the record of several lines that waits for its next line.
    func endRecord(_ save: (PayloadList, FilePosition) -> Void) {
        guard let reader else { return }
        reader.endRecord { lines in pass(lines, of: reader, to: save) }
    }

    /// Passes on the last line, which lacks its end: the file is gone.
    func finish(_ save: (PayloadList, FilePosition) -> Void) {
        guard let reader else { return }
        reader.finish { lines in pass(lines, of: reader, to: save) }
    }

    /// The position now, if lines were refused or left out after the last save.
    func currentPosition(isFinished: Bool = false) -> FilePosition {
        if let reader { advance(to: reader.offset, of: reader) }
        position.isFinished = isFinished
        return position
    }

    private func pass(
        _ lines: RecordSplitter.Lines,
        of reader: FileReader,
        to save: (PayloadList, FilePosition) -> Void
    ) {
        advance(to: lines.end.byte, of: reader)
        save(lines.payloads, position)
    }

    private func advance(to offset: Int, of reader: FileReader) {
        position.tail = reader.tail(at: offset)
        position.offset = offset
        (position.path, position.directoryDevice) = (path, directoryDevice)
        position.isFinished = false
        if position.head.length < FilePosition.fingerprintLength, let head = reader.head(at: offset) {
            position.head = head
        }
        let now = ContinuousClock.now
        guard now - settling.since >= Self.settlingTime else { return }
        position.settled = settling.point
        settling = (position.point, now)
    }

    /// What was refused, cut or saved without its key so far.
    var totals: FollowEnd {
        var totals = earlier
        totals.add(counts)
        return totals
    }

    // MARK: - another beginning

    /// Begins at byte 0 of what was written anew.
    func restart() {
        var new = position
        (new.offset, new.head, new.tail) = (0, .none, .none)
        begin(at: new)
    }

    /// Goes back to the last position that was stored, after a save failed.
    func rewind() {
        begin(at: storedPosition)
    }

    /// Opens a file at rest, in which something was written. False if it is another file by now.
    func wake(in flow: FileFlow) -> Bool {
        guard reader == nil else { return true }
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return false }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, FileKey(status) == key,
            position.birth == 0 || birthTime(of: file) == position.birth
        else {
            _ = close(file)
            return false
        }
        rewind()
        reader = FileReader(file, flow, at: position)
        return true
    }

    private func begin(at position: FilePosition) {
        earlier.add(counts)
        self.position = position
        settling = (position.point, .now)
        saves = FileSaves(position, isStored: isPositionStored)
        reader?.begin(at: position)
        hasNews = true
    }
}

/// The saves of one file's lines, and the last position that was stored with them.
final class FileSaves: Sendable {
    private struct State {
        var stored: FilePosition
        var isStored: Bool
        var underWay = 0
        var failure: RecorderError?
    }

    private let state: Locked<State>
    /// Once one has failed, none of the later ones is stored.
    let sequence = SaveSequence()

    /// `isStored` says whether the store has the position, or will have it before anything is read.
    init(_ position: FilePosition, isStored: Bool) {
        state = Locked(State(stored: position, isStored: isStored))
    }

    var stored: FilePosition { state.withLock { $0.stored } }
    var isStored: Bool { state.withLock { $0.isStored } }
    var failure: RecorderError? { state.withLock { $0.failure } }
    var areUnderWay: Bool { state.withLock { $0.underWay > 0 } }

    func begin() {
        state.withLock { $0.underWay += 1 }
    }

    func end(_ result: Result<Void, RecorderError>, at position: FilePosition) {
        state.withLock { state in
            state.underWay -= 1
            switch result {
            case .success: (state.stored, state.isStored) = (position, true)
            case .failure(let error): state.failure = state.failure ?? error
            }
        }
    }
}
