import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderConcurrency
import RecorderEngine

/// A file that is read from a position on, whatever its name is by now. Used by the follower's thread only.
///
/// Each reading compares the last bytes that were read before, so that a file that was truncated and written anew in place is
/// noticed even if it is as long again.
final class FollowedFile {
    /// How long the kernel takes at most to write what was written to a file, as it is configured by default: 30 seconds, and up
    /// to 5 more (https://docs.kernel.org/admin-guide/sysctl/vm.html, dirty_expire_centisecs).
    private static let settlingTime = Duration.seconds(60)

    /// How a reading ended.
    enum Reading {
        /// There may be more to read.
        case lines
        case end
        /// The bytes that were read before are not in the file any more.
        case truncated
        case failed(Int32)
    }

    let flow: FileFlow
    let key: FileKey
    /// Its path as of the last scan; `base` is the path that it had before it was rotated.
    private(set) var path: String
    let base: String
    /// nil if the last scan showed that it is gone.
    private(set) var relation: FilePattern.Relation?
    private var directoryDevice: UInt64
    /// nil while it is at rest: it was rotated away, and read to its end.
    private(set) var descriptor: Int32?
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
    private(set) var saves: FileSaves

    private var splitter: RecordSplitter
    /// What was refused before the last beginning.
    private var earlier = FollowEnd()
    /// What was read last: at least the 1,024 bytes before the splitter's position and everything after it, but of a line that
    /// is skipped only its last bytes.
    private var recent = RecentBytes(at: 0)
    /// The end of the lines before a line that is skipped.
    private var skippedFrom: FilePosition.Point?
    /// What becomes the settled point of the position, and when it was the position.
    private var settling: (point: FilePosition.Point, since: ContinuousClock.Instant)
    /// Whether the bytes before the position were not those that had been read.
    private var hasOtherBytes = false

    /// Takes over an open file.
    init(_ found: FoundFile, in flow: FileFlow, descriptor: Int32, position: FilePosition) {
        self.flow = flow
        key = found.key
        path = found.path
        base = found.base
        relation = found.relation
        directoryDevice = found.directoryDevice
        self.descriptor = descriptor
        self.position = position
        settling = (position.point, .now)
        saves = FileSaves(position)
        splitter = RecordSplitter(flow, start: position.offset)
        readBefore(position)
    }

    deinit {
        rest()
    }

    /// Closes the file.
    func rest() {
        if let descriptor { _ = close(descriptor) }
        descriptor = nil
    }

    /// The byte where the next reading begins.
    private var end: Int { recent.end }

    var isWithinLine: Bool { splitter.isWithinLine }
    var holdsRecord: Bool { splitter.holdsRecord }
    var counts: RecordCounts { splitter.counts }
    /// Whether lines were refused or left out since the last save.
    var isAheadOfPosition: Bool { splitter.position.byte > position.offset }

    /// Whether the open file has no name any more.
    var isDeleted: Bool { status?.st_nlink == 0 }

    /// Whether the open file has bytes that were not read.
    var hasGrown: Bool { (status?.st_size).map { Int($0) > end } ?? false }

    private var status: stat? {
        var status = stat()
        guard let descriptor, unsafe fstat(descriptor, &status) == 0 else { return nil }
        return status
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
    func read(atMost size: Int, _ save: (PayloadList, FilePosition) -> Void) -> Reading {
        guard let descriptor else { return .end }
        if hasOtherBytes { return .truncated }
        let overlap = max(end - FilePosition.fingerprintLength, recent.start)..<end
        // One more than there is shows the end. Memory for more would be held until the lines are stored.
        let left = (status?.st_size).map { Int($0) - end + 1 } ?? size
        let wanted = min(size, max(left, 1))
        let (repeated, new, failure) = FileBytes.read(descriptor, overlap, andThen: wanted)
        if failure == EINTR { return .lines }
        guard failure == 0 else { return .failed(failure) }
        guard repeated == recent[overlap] else { return .truncated }
        guard !new.isEmpty else { return .end }
        lastGrowth = .now
        recent.add(new)
        splitter.split(new) { lines in pass(lines, to: save) }
        forgetOld()
        return new.count < wanted ? .end : .lines
    }

    /// Passes on the record of several lines that waits for its next line.
    func endRecord(_ save: (PayloadList, FilePosition) -> Void) {
        splitter.endRecord { lines in pass(lines, to: save) }
        forgetOld()
    }

    /// Passes on the last line, which lacks its end: the file is gone.
    func finish(_ save: (PayloadList, FilePosition) -> Void) {
        splitter.finish { lines in pass(lines, to: save) }
    }

    /// The position now, if lines were refused or left out after the last save.
    func currentPosition(isFinished: Bool = false) -> FilePosition {
        advance(to: splitter.position.byte)
        position.isFinished = isFinished
        return position
    }

    private func pass(_ lines: RecordSplitter.Lines, to save: (PayloadList, FilePosition) -> Void) {
        advance(to: lines.end.byte)
        save(lines.payloads, position)
    }

    private func advance(to offset: Int) {
        let length = FilePosition.fingerprintLength
        position.tail = tail(at: offset)
        position.offset = offset
        (position.path, position.directoryDevice) = (path, directoryDevice)
        position.isFinished = false
        if position.head.length < length, recent.start == 0 { position.head = fingerprint(0..<min(offset, length)) }
        let now = ContinuousClock.now
        guard now - settling.since >= Self.settlingTime else { return }
        position.settled = settling.point
        settling = (position.point, now)
    }

    /// The fingerprint of the bytes before an offset.
    private func tail(at offset: Int) -> FilePosition.Fingerprint {
        if let skippedFrom, skippedFrom.offset == offset { return skippedFrom.tail }
        return fingerprint(max(offset - FilePosition.fingerprintLength, recent.start)..<offset)
    }

    private func fingerprint(_ range: Range<Int>) -> FilePosition.Fingerprint {
        unsafe recent[range].withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
    }

    private func forgetOld() {
        let length = FilePosition.fingerprintLength
        let offset = splitter.position.byte
        if splitter.isSkipping, skippedFrom?.offset != offset {
            var point = FilePosition.Point()
            (point.tail, point.offset) = (tail(at: offset), offset)
            skippedFrom = point
        }
        recent.keep(from: max((splitter.isSkipping ? end : offset) - length, recent.start))
    }

    /// What was refused, cut or saved without its key so far.
    var totals: FollowEnd {
        var totals = earlier
        totals.add(splitter.counts)
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
        begin(at: saves.stored)
    }

    /// Opens a file at rest, in which something was written. False if it is another file by now.
    func wake() -> Bool {
        guard descriptor == nil else { return true }
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return false }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, FileKey(status) == key,
            position.birth == 0 || birthTime(of: file) == position.birth
        else {
            _ = close(file)
            return false
        }
        descriptor = file
        rewind()
        return true
    }

    private func begin(at position: FilePosition) {
        earlier.add(splitter.counts)
        self.position = position
        settling = (position.point, .now)
        saves = FileSaves(position)
        splitter = RecordSplitter(flow, start: position.offset)
        readBefore(position)
        hasNews = true
    }

    /// Reads the bytes that precede a position, at most those that it has a fingerprint of. They are other ones if the file was
    /// truncated while it was not read.
    private func readBefore(_ position: FilePosition) {
        let range = position.offset - position.tail.length..<position.offset
        let bytes = descriptor.flatMap { FileBytes.read($0, range) } ?? []
        recent = RecentBytes(bytes, at: position.offset - bytes.count)
        skippedFrom = nil
        hasOtherBytes = descriptor != nil && fingerprint(recent.start..<position.offset) != position.tail
    }
}

extension RecordSplitter {
    fileprivate init(_ flow: FileFlow, start: Int) {
        self.init(
            delimiter: flow.delimiter,
            keepsDelimiter: flow.keepsDelimiter,
            limit: flow.recordLimit,
            start: start,
            rules: flow.rules
        )
    }
}

extension FilePosition {
    /// How many bytes a position has fingerprints of, at the start of the file and before the position.
    static let fingerprintLength = 1_024
}

/// The saves of one file's lines, and the last position that was stored with them.
final class FileSaves: Sendable {
    private struct State {
        var stored: FilePosition
        var underWay = 0
        var failure: RecorderError?
    }

    private let state: Locked<State>
    /// Once one has failed, none of the later ones is stored.
    let sequence = SaveSequence()

    init(_ position: FilePosition) {
        state = Locked(State(stored: position))
    }

    var stored: FilePosition { state.withLock { $0.stored } }
    var failure: RecorderError? { state.withLock { $0.failure } }
    var areUnderWay: Bool { state.withLock { $0.underWay > 0 } }

    func begin() {
        state.withLock { $0.underWay += 1 }
    }

    func end(_ result: Result<Void, RecorderError>, at position: FilePosition) {
        state.withLock { state in
            state.underWay -= 1
            switch result {
            case .success: state.stored = position
            case .failure(let error): state.failure = state.failure ?? error
            }
        }
    }
}

/// Bytes of open files.
enum FileBytes {
    /// Identifies the time since the machine was started; empty if that is unknown.
    static var bootID: String {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return String(text?.trimmed() ?? "")
    }

    /// nil if the file is shorter.
    static func read(_ file: Int32, _ range: Range<Int>) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = max(unsafe pread(file, buffer.baseAddress, range.count, range.lowerBound), 0)
        }
        return bytes.count == range.count ? bytes : nil
    }

    /// Reads the bytes of a range, and behind it at most `count` more; less at the end of the file. The third value is the number
    /// of an error, 0 if there is none.
    static func read(
        _ file: Int32,
        _ range: Range<Int>,
        andThen count: Int
    ) -> (range: [UInt8], behind: [UInt8], error: Int32) {
        var (behind, error): ([UInt8], Int32) = ([], 0)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { first, firstCount in
            behind = unsafe [UInt8](unsafeUninitializedCapacity: count) { second, secondCount in
                let parts = unsafe [
                    iovec(iov_base: first.baseAddress, iov_len: range.count),
                    iovec(iov_base: second.baseAddress, iov_len: count),
                ]
                let read = unsafe preadv(file, parts, 2, range.lowerBound)
                if read < 0 { error = errno }
                secondCount = max(read - range.count, 0)
                firstCount = min(max(read, 0), range.count)
            }
        }
        return (bytes, behind, error)
    }

    static func fingerprint(_ file: Int32, _ range: Range<Int>) -> FilePosition.Fingerprint? {
        guard let bytes = read(file, range) else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
    }

    /// Where the last line begins that ends in `delimiter` before `end`, or 0: the line after it is not complete.
    static func lastLineEnd(_ file: Int32, before end: Int, delimiter: UInt8) -> Int {
        var upper = end
        while upper > 0 {
            let lower = max(upper - 64 * 1_024, 0)
            if let found = read(file, lower..<upper)?.lastIndex(of: delimiter) { return lower + found + 1 }
            upper = lower
        }
        return 0
    }
}
