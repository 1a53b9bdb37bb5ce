import Glibc
import RecorderEngine
import RecorderHTTP

/// Reads an open file from a position on, and splits it into records.
///
/// Each reading compares the last bytes that were read before, so that a file that was truncated and written anew in place is
/// noticed even if it is as long again.
final class FileReader {
    /// How a reading ended.
    enum Reading {
        /// There may be more to read.
        case lines
        case end
        /// The bytes that were read before are not in the file any more.
        case truncated
        case failed(Int32)
    }

    let descriptor: Int32
    /// nil if the file is read as it is.
    private let gzip: GzipFile?
    /// Whether it is on a file system of another machine.
    let isRemote: Bool
    private let flow: FileFlow
    private let openFiles: OpenFiles
    private var splitter: RecordSplitter
    /// What was read last: at least the 1,024 bytes before the splitter's position and everything after it, but of a line that
    /// is skipped only its last bytes.
    private var recent = RecentBytes(at: 0)
    /// The end of the lines before a line that is skipped, with what is stored of the bytes before it.
    private var skippedFrom: (offset: Int, mark: Mark)?
    /// Of the bytes before the splitter's position; of those that were read, while a line is skipped.
    private var sum: ContentSum
    /// Whether the bytes before the position were not those that had been read.
    private var hasOtherBytes = false

    /// Takes over an open file, and closes it in the end.
    init(
        _ descriptor: Int32,
        isCompressed: Bool = false,
        of flow: FileFlow,
        at position: FilePosition,
        in openFiles: OpenFiles
    ) {
        self.descriptor = descriptor
        gzip = isCompressed ? GzipFile(descriptor) : nil
        self.openFiles = openFiles
        openFiles.opened()
        isRemote = FileWatcher.isRemote(FileWatcher.path(of: descriptor))
        self.flow = flow
        splitter = RecordSplitter(flow, start: position.offset)
        sum = position.sum
        readBefore(position)
    }

    deinit {
        _ = close(descriptor)
        openFiles.closed()
    }

    /// Begins anew at a position.
    func begin(at position: FilePosition) {
        splitter = RecordSplitter(flow, start: position.offset)
        sum = position.sum
        readBefore(position)
    }

    /// Reads the bytes that precede a position, at most those that it has a fingerprint of. They are other ones if the file was
    /// truncated while it was not read.
    private func readBefore(_ position: FilePosition) {
        let range = position.offset - position.tail.length..<position.offset
        let bytes = (gzip?.read(at: range.lowerBound, atMost: range.count) ?? FileBytes.read(descriptor, range)) ?? []
        recent = RecentBytes(bytes, at: position.offset - bytes.count)
        skippedFrom = nil
        hasOtherBytes = fingerprint(recent.start..<position.offset) != position.tail
    }

    /// The byte where the next reading begins.
    var end: Int { recent.end }
    /// The end of the lines that were passed on, refused or left out.
    var offset: Int { splitter.position.byte }
    var isWithinLine: Bool { splitter.isWithinLine }
    var holdsRecord: Bool { splitter.holdsRecord }
    /// Since it began.
    var counts: RecordCounts { splitter.counts }
    var isCompressed: Bool { gzip != nil }
    /// Whether the file has no name any more; what was compressed has none.
    var isDeleted: Bool { gzip != nil || FileFacts(descriptor)?.names == 0 }
    /// Whether the file has bytes that were not read.
    var hasGrown: Bool { size.map { $0 > end } ?? false }
    /// nil if it is unknown, as that of a compressed file is.
    var size: Int? { gzip == nil ? FileFacts(descriptor)?.size : nil }

    /// Whether a program has the file open for writing: a lease for reading is refused then. Only of a deleted file, which no program can
    /// open meanwhile; and the system tells only its owner. https://man7.org/linux/man-pages/man2/F_SETLEASE.2const.html
    var writers: FileState.Look.Writers {
        if gzip != nil { return .none }
        // The C library hides this command behind _GNU_SOURCE.
        let setLease: Int32 = 1_024
        guard fcntl(descriptor, setLease, F_RDLCK) == 0 else { return errno == EAGAIN ? .some : .unknown }
        _ = fcntl(descriptor, setLease, F_UNLCK)
        return .none
    }

    // MARK: - reading

    /// Reads what follows, and passes on complete records.
    func read(atMost size: Int, _ pass: (RecordSplitter.Lines) -> Void) -> Reading {
        if hasOtherBytes { return .truncated }
        let overlap = max(end - FilePosition.fingerprintLength, recent.start)..<end
        // One more than there is shows the end. Memory for more would be held until the lines are stored.
        let left = self.size.map { $0 - end + 1 } ?? size
        let wanted = min(size, max(left, 1))
        let (repeated, new, failure) = bytes(overlap, andThen: wanted)
        if failure == EINTR { return .lines }
        guard failure == 0 else { return .failed(failure) }
        guard repeated == recent[overlap] else { return .truncated }
        guard !new.isEmpty else { return .end }
        recent.add(new)
        splitter.split(new, body: pass)
        forgetOld()
        return new.count < wanted ? .end : .lines
    }

    private func bytes(_ overlap: Range<Int>, andThen count: Int) -> (range: [UInt8], behind: [UInt8], error: Int32) {
        guard let gzip else { return FileBytes.read(descriptor, overlap, andThen: count) }
        guard let new = gzip.read(at: end, atMost: count) else { return ([], [], EBADMSG) }
        return (recent[overlap], new, 0)
    }

    /// Passes on the record of several lines that waits for its next line.
    func endRecord(_ pass: (RecordSplitter.Lines) -> Void) {
        splitter.endRecord(body: pass)
        forgetOld()
    }

    /// Passes on the last line, which lacks its end.
    func finish(_ pass: (RecordSplitter.Lines) -> Void) {
        splitter.finish(body: pass)
    }

    private func forgetOld() {
        if splitter.isSkipping {
            if skippedFrom?.offset != offset { skippedFrom = (offset, mark(at: offset)) }
        }
        addToSum(upTo: splitter.isSkipping ? end : offset)
        recent.keep(from: max((splitter.isSkipping ? end : offset) - FilePosition.fingerprintLength, recent.start))
    }

    // MARK: - fingerprints

    /// What is stored of the bytes before an offset.
    typealias Mark = (tail: FilePosition.Fingerprint, sum: ContentSum)

    /// What is stored of the bytes before an offset: the one of the last call, or one behind it.
    func mark(at offset: Int) -> Mark {
        if let skippedFrom, skippedFrom.offset == offset { return skippedFrom.mark }
        addToSum(upTo: offset)
        return (fingerprint(max(offset - FilePosition.fingerprintLength, recent.start)..<offset), sum)
    }

    private func addToSum(upTo offset: Int) {
        guard offset - sum.end >= 8 else { return }
        sum = unsafe recent[sum.end..<offset].withUnsafeBytes { unsafe sum.adding($0, upTo: offset) }
    }

    /// The fingerprint of the file's first bytes, at most those before an offset; nil if they were read too long ago.
    func head(at offset: Int) -> FilePosition.Fingerprint? {
        recent.start == 0 ? fingerprint(0..<min(offset, FilePosition.fingerprintLength)) : nil
    }

    private func fingerprint(_ range: Range<Int>) -> FilePosition.Fingerprint {
        unsafe recent[range].withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
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
