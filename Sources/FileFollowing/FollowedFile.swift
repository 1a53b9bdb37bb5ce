import Glibc
import LineRecords
import RecorderConcurrency
import RecorderStore

/// A file that is read from a position on, whatever its name is by now: the state, and what it is about. Used by the follower's
/// thread only.
final class FollowedFile {
    /// How long the kernel takes at most to write what was written to a file, as it is configured by default: 30 seconds, and up
    /// to 5 more (https://docs.kernel.org/admin-guide/sysctl/vm.html, dirty_expire_centisecs).
    private static let settlingTime = Duration.seconds(60)

    let key: FileKey
    /// Its path as of the last scan; `base` is the path that it had before it was rotated.
    private(set) var path: String
    let base: String
    private var relation: FilePattern.Relation
    let isCompressed: Bool
    private(set) var state: FileState
    private var directoryDevice: UInt64
    private let openFiles: OpenFiles
    private var now: ContinuousClock.Instant { openFiles.system.now }
    /// There may be many files that are closed.
    private enum Access {
        case open(LineReader, FileSaves)
        /// Its position is stored.
        case closed(Closed)
    }

    /// What is known of a closed file.
    private struct Closed {
        /// When it was closed.
        var (size, changed) = (0, Int64(0))
        /// How many bytes behind its position it had, then or as a scan found it since, and whether these were read: an unfinished
        /// line.
        var (unread, isRead) = (0, true)
    }

    private var access: Access
    /// Of the last save that was begun.
    private(set) var position: FilePosition
    /// While it is undecided: so many of its bytes are those of another file, which had this path, and this id of its position.
    var compared = (bytes: 0, path: "", id: Int64(0))
    /// While it is undecided, compressed and longer than what was read of its original: what was compared. That takes all of it.
    var undecided: (size: Int, changed: Int64, original: FilePosition)?
    /// Whether an event of it is awaited. `unwatched`: it was asked for, and there is none.
    enum Arming: Equatable { case none, unwatched, watched(Watch) }
    var arming = Arming.none
    /// When it was opened.
    private(set) var opened: ContinuousClock.Instant

    /// The position that was stored when unread bytes were noticed, and when that was.
    private var waited: (offset: Int, since: ContinuousClock.Instant)?
    /// What was refused before the last beginning.
    private var earlier = FollowEnd()
    /// What becomes the settled point of the position, and when it was the position.
    private var settling: (point: FilePosition.Point, since: ContinuousClock.Instant)

    /// Takes over an open file.
    init(
        _ found: FoundFile,
        in flow: FileFlow,
        file: OpenFile,
        saves: FileSaves,
        as phase: FileState.Phase,
        among openFiles: OpenFiles
    ) {
        self.openFiles = openFiles
        key = found.key
        path = found.path
        base = found.base
        relation = found.relation
        isCompressed = relation == .compressed
        state = FileState(phase, name: relation.name)
        directoryDevice = found.directoryDevice
        position = saves.stored
        opened = openFiles.system.now
        settling = (position.point, opened)
        let content = FileContent(file, isCompressed: isCompressed, at: position)
        access = .open(LineReader(content, path: path, of: flow, at: position), saves)
        if !state.isOpen { close() }
    }

    func handle(_ event: FileState.Event) -> [FileState.Action] { state.handle(event, at: now) }

    /// Closes the file. All of its lines that are passed on must be stored. `isRead` is false if it has more, whatever it looks
    /// like.
    func close(isRead: Bool = true) {
        guard case .open(let reader, let saves) = access else { return }
        precondition(!saves.areUnderWay, "a file is closed whose lines are on their way")
        var closed = Closed()
        if !isCompressed, let facts = reader.content.file.facts {
            (closed.size, closed.changed) = (facts.size, facts.changed)
            let isLonger = facts.size >= position.offset && !reader.content.hasOtherBytes
            closed.unread = isLonger ? facts.size - position.offset : facts.size
            closed.isRead = reader.content.isRead && !reader.holdsRecord
        }
        if !isRead || (isCompressed && !position.isFinished) {
            (closed.unread, closed.isRead) = (max(closed.unread, 1), false)
        }
        earlier.add(counts)
        access = .closed(closed)
    }

    /// Closes the file for ever.
    func end() {
        guard case .open(_, let saves) = access else { return }
        precondition(!saves.areUnderWay, "a file is ended whose lines are on their way")
        earlier.add(counts)
        access = .closed(Closed())
    }

    /// nil while it is closed.
    private var reader: LineReader? { if case .open(let reader, _) = access { reader } else { nil } }
    /// nil while it is closed.
    var saves: FileSaves? { if case .open(_, let saves) = access { saves } else { nil } }

    /// Why a save since the last beginning failed.
    var failure: RecorderError? { saves?.failure }
    var hasSavesUnderWay: Bool { saves?.areUnderWay ?? false }
    /// The last position that was stored.
    var storedPosition: FilePosition { saves?.stored ?? position }
    /// Whether the store has a position of it. Without one, a file that is gone at the next start would not be missed.
    var isPositionStored: Bool { saves?.isStored ?? true }

    /// Whether the lines that are stored are still in the file, which is open.
    func holdsStoredLines(in file: OpenFile) -> Bool {
        let stored = storedPosition
        return stored.offset > 0 && FileStart(stored, of: file, birth: stored.birth, boot: stored.boot) == .resumed
    }
    /// nil while it is closed.
    var file: OpenFile? { reader?.content.file }
    /// Since the last beginning.
    var counts: RecordCounts { reader?.counts ?? RecordCounts() }
    /// The bytes of the file behind the last position that was stored.
    var unreadBytes: Int {
        switch access {
        case .open(let reader, let saves): max((reader.content.size ?? 0) - saves.stored.offset, 0)
        case .closed(let closed): closed.unread
        }
    }

    /// For how long it has had bytes that are not stored, since a position was stored last.
    func waiting(with unread: Int) -> Duration {
        let offset = storedPosition.offset
        if unread == 0 || waited?.offset != offset { waited = unread == 0 ? nil : (offset, now) }
        return waited.map { now - $0.since } ?? .zero
    }

    /// Whether the open file has no name any more.
    var isDeleted: Bool { file?.facts?.names == 0 }

    /// Whether a scan would find the open file.
    var hasName: Bool { state.name != .none && !isDeleted }

    /// Whether the open file has bytes that were not read.
    var hasGrown: Bool { reader?.content.hasGrown ?? false }
    /// Whether the open file is not as long as what was read of it.
    var hasOtherSize: Bool { reader.map { $0.content.size ?? $0.content.end != $0.content.end } ?? false }
    /// Whether the open file has bytes that were not read, or are not stored yet.
    var isBehind: Bool { hasSavesUnderWay || failure != nil || hasGrown }
    /// Whether the closed file had bytes that were not read, or may have more without an event.
    var mayHaveMore: Bool {
        guard arming != .none, case .closed(let closed) = access else { return true }
        return !closed.isRead
    }

    /// Whether there is a record of complete lines that the next line may belong to.
    var holdsRecord: Bool { reader?.holdsRecord ?? false }

    /// What the open file looks like, and its last record. If others wait for its descriptor, a program that has it open is no
    /// reason to keep it.
    func look(othersWait: Bool) -> FileState.Look {
        var look = FileState.Look()
        guard let reader else { return look }
        look.isWithinLine = reader.isWithinLine
        look.recordWait = reader.holdsRecord ? RecordRules.multilineWait : nil
        look.isComplete = isCompressed
        look.isDeleted = isDeleted
        if look.isDeleted, !othersWait { look.writers = reader.content.file.writers }
        // Last: a writer may have added something before it closed the file.
        look.hasGrown = reader.content.hasGrown
        return look
    }

    /// Takes over where a scan found it; nil if it is gone.
    func found(_ found: FoundFile?) -> FileState.Event {
        guard let found else { return .missing }
        (path, directoryDevice, relation) = (found.path, found.directoryDevice, found.relation)
        let differs = differs(found.facts)
        if differs, case .closed(var closed) = access {
            // It may be gone before it is opened. If it is not longer, it may have been written anew.
            closed.unread = max(found.facts.size - position.offset, 1)
            access = .closed(closed)
        }
        return .found(found.relation.name, differs: differs)
    }

    /// It was written to since it was closed.
    func noteWritten() {
        guard case .closed(var closed) = access else { return }
        (closed.unread, closed.isRead) = (max(closed.unread, 1), false)
        access = .closed(closed)
    }

    /// As a scan would find it, with what is known of it.
    var asFound: FoundFile {
        asFound(FileFacts(key, unread: file?.facts?.size, changed: openFiles.system.time))
    }

    /// As a scan would find what is at its path.
    func asFound(_ facts: FileFacts) -> FoundFile {
        FoundFile(
            path: path,
            base: base,
            relation: relation,
            directoryDevice: directoryDevice,
            facts: facts,
            isLink: false
        )
    }

    /// Whether something was written to it since it was closed. A compressed file is complete.
    func differs(_ facts: FileFacts) -> Bool {
        guard case .closed(let closed) = access else { return false }
        return !closed.isRead || !isCompressed && (facts.size != closed.size || facts.changed != closed.changed)
    }

    // MARK: - reading

    /// Reads what follows, and passes complete records to `save`, together with the position after them.
    func read(atMost size: Int, _ save: (PayloadList, FilePosition) -> Void) -> (LineReader.Reading, bytes: Int) {
        guard let reader else { preconditionFailure("a closed file is read") }
        let end = reader.content.end
        let reading = reader.read(atMost: size) { lines in pass(lines, of: reader, to: save) }
        return (reading, reader.content.end - end)
    }

    /// Whether the last byte that was read is NUL.
    var endsInNUL: Bool { reader?.content.endsInNUL ?? false }

    /// Passes on the record of several lines that waits for its next line.
    func endRecord(_ save: (PayloadList, FilePosition) -> Void) {
        guard let reader else { return }
        reader.endRecord { lines in pass(lines, of: reader, to: save) }
    }

    /// Passes on the last line, which lacks its end: the file is gone.
    func endLine(_ save: (PayloadList, FilePosition) -> Void) {
        guard let reader else { return }
        reader.finish { lines in pass(lines, of: reader, to: save) }
    }

    /// Whether lines were refused or left out since the last save.
    var isAheadOfPosition: Bool { (reader?.offset ?? 0) > position.offset }

    /// The position now, if lines were refused or left out after the last save.
    func currentPosition(isFinished: Bool = false) -> FilePosition {
        // Otherwise the bytes before it are known; in the file there may be other ones by now.
        if isAheadOfPosition, let reader { advance(to: reader.offset, of: reader) }
        // A copy of what was not read yet has the name that the file had.
        if isFinished { (position.path, position.directoryDevice) = (path, directoryDevice) }
        position.isFinished = isFinished
        return position
    }

    private func pass(
        _ lines: AssembledRecords,
        of reader: LineReader,
        to save: (PayloadList, FilePosition) -> Void
    ) {
        advance(to: lines.end.byte, of: reader)
        save(lines.payloads, position)
    }

    private func advance(to offset: Int, of reader: LineReader) {
        (position.tail, position.sum) = reader.mark(at: offset)
        position.offset = offset
        (position.path, position.directoryDevice) = (path, directoryDevice)
        position.isFinished = false
        position.head = reader.content.head(at: offset, longerThan: position.head) ?? position.head
        let now = now
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
    func startOver() {
        var new = position
        (new.offset, new.head, new.tail, new.sum) = (0, .none, .none, ContentSum())
        begin(at: new)
    }

    /// Goes back to the last position that was stored, after a save failed.
    func goBack() {
        begin(at: storedPosition)
    }

    /// Begins where the original of this file was read to, or at its end.
    func begin(at position: FilePosition) {
        guard case .open(let reader, let saves) = access else { preconditionFailure("a closed file begins anew") }
        earlier.add(reader.counts)
        self.position = position
        settling = (position.point, now)
        access = .open(reader, FileSaves(position, isStored: saves.isStored))
        reader.begin(at: position)
    }

    /// Takes over a closed file that was opened, in which something was written.
    func open(_ file: OpenFile, in flow: FileFlow) {
        precondition(self.file == nil, "a file is opened twice")
        opened = now
        settling = (position.point, opened)
        if arming == .unwatched { arming = .none }
        let content = FileContent(file, isCompressed: isCompressed, at: position)
        let reader = LineReader(content, path: path, of: flow, at: position)
        access = .open(reader, FileSaves(position, isStored: true))
    }
}

extension FilePattern.Relation {
    fileprivate var name: FileState.Name {
        switch self {
        case .matches: .plain
        case .rotated, .matchesRotated, .compressed: .rotated
        }
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
