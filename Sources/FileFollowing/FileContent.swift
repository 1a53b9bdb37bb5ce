import Glibc
import RecorderHTTP
package import RecorderStore

/// The bytes of an open file from a position on, as they are or decompressed. Used by the follower's thread only.
///
/// Each reading compares the last bytes that were read before, so that a file that was truncated and written anew in place is
/// noticed even if it is as long again. If they end in NUL, it compares all of the line that has begun: space may have been
/// allocated for lines, which are written into it.
package final class FileContent {
    /// How a reading ended.
    package enum Reading {
        /// There may be more to read.
        case bytes([UInt8])
        /// These are the last ones.
        case end([UInt8])
        /// The bytes that were read before are not in the file any more.
        case truncated
        /// The number of an error.
        case failed(Int32)
    }

    /// What is stored of the bytes before a position.
    package typealias Mark = (tail: FilePosition.Fingerprint, sum: ContentSum)

    package let file: OpenFile
    /// nil if the file is read as it is.
    private let gzip: GzipFile?
    /// What was read last: at least the 1,024 bytes before the position and everything after it, unless that was given up.
    private var recent = RecentBytes(at: 0)
    /// Of the bytes before the last mark.
    private var sum: ContentSum
    /// Whether the bytes before the position were not those that had been read.
    private(set) var hasOtherBytes = false
    /// Where the bytes before it could not be read.
    private var unread: FilePosition?

    package init(_ file: OpenFile, isCompressed: Bool, at position: FilePosition) {
        self.file = file
        gzip = isCompressed ? GzipFile(file) : nil
        sum = position.sum
        readBefore(position)
    }

    /// Begins anew at a position.
    package func begin(at position: FilePosition) {
        sum = position.sum
        readBefore(position)
    }

    /// Reads the bytes that precede a position, at most those that it has a fingerprint of. They are other ones if the file was
    /// truncated while it was not read.
    private func readBefore(_ position: FilePosition) {
        let range = position.offset - position.tail.length..<position.offset
        let bytes = (gzip?.read(at: range.lowerBound, atMost: range.count) ?? file.read(range)) ?? []
        recent = RecentBytes(bytes, at: position.offset - bytes.count)
        unread = file.error == 0 ? nil : position
        hasOtherBytes = unread == nil && fingerprint(recent.start..<position.offset) != position.tail
    }

    /// The byte where the next reading begins.
    package var end: Int { recent.end }
    /// Whether the file has bytes that were not read.
    package var hasGrown: Bool { size.map { $0 > end } ?? false }
    /// Whether all bytes of the file were read, and the last ones are still there.
    package var isRead: Bool { !hasOtherBytes && size == end && file.read(overlap) == Array(recent[overlap]) }
    /// nil if it is unknown, as that of a compressed file is.
    package var size: Int? { gzip == nil ? file.facts?.size : nil }

    // MARK: - reading

    /// Reads what follows. Until it is kept, nothing else is read.
    package func read(atMost size: Int) -> Reading {
        guard file.error == 0 else { return .failed(file.error) }
        if let unread { readBefore(unread) }
        guard file.error == 0 else { return .failed(file.error) }
        if hasOtherBytes { return .truncated }
        let overlap = overlap
        // One more than there is shows the end. Memory for more would be held until the lines are stored.
        let left = self.size.map { $0 - end + 1 } ?? size
        let wanted = min(size, max(left, 1))
        let (repeated, new, failure) = bytes(overlap, andThen: wanted)
        guard failure == 0 else { return .failed(failure) }
        guard repeated == recent[overlap] else { return .truncated }
        recent.add(new)
        return new.count < wanted ? .end(new) : .bytes(new)
    }

    /// The last bytes that were read.
    private var overlap: Range<Int> {
        (endsInNUL ? recent.start : max(end - FilePosition.fingerprintLength, recent.start))..<end
    }

    /// Whether the last byte that was read is NUL, as all are in space that was allocated.
    var endsInNUL: Bool { end > recent.start && recent[end - 1..<end] == [0] }

    private func bytes(_ overlap: Range<Int>, andThen count: Int) -> (range: [UInt8], behind: [UInt8], error: Int32) {
        guard let gzip else { return file.read(overlap, andThen: count) }
        let new = gzip.read(at: end, atMost: count)
        guard let new, file.error == 0 else { return ([], [], file.error == 0 ? EBADMSG : file.error) }
        return (recent[overlap], new, 0)
    }

    /// Keeps the bytes behind an offset, and those before it that the next mark and the next reading need.
    package func keep(from offset: Int) {
        addToSum(upTo: offset)
        recent.keep(from: max(offset - FilePosition.fingerprintLength, recent.start))
    }

    // MARK: - marks

    /// What is stored of the bytes before an offset: the one of the last call, or one behind it.
    package func mark(at offset: Int) -> Mark {
        addToSum(upTo: offset)
        return (fingerprint(max(offset - FilePosition.fingerprintLength, recent.start)..<offset), sum)
    }

    private func addToSum(upTo offset: Int) {
        guard offset - sum.end >= 8 else { return }
        sum = unsafe recent.withBytes(sum.end..<offset) { unsafe sum.adding($0, upTo: offset) }
    }

    /// The fingerprint of the file's first bytes, at most those before an offset; nil if a longer one is not to be had: the bytes
    /// were read too long ago.
    package func head(at offset: Int, longerThan head: FilePosition.Fingerprint) -> FilePosition.Fingerprint? {
        guard head.length < FilePosition.fingerprintLength, recent.start == 0 else { return nil }
        return fingerprint(0..<min(offset, FilePosition.fingerprintLength))
    }

    private func fingerprint(_ range: Range<Int>) -> FilePosition.Fingerprint {
        unsafe recent[range].withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
    }
}
