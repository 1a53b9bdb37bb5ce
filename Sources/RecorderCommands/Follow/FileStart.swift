package import RecorderEngine

/// Where the reading of a file begins that has a stored position.
package enum FileStart: Equatable {
    /// The position is the file's.
    case resumed
    /// The machine went down before the file's last bytes were on disk, and others may have been written in their place.
    /// Reading goes on where the bytes are known to be those that were read.
    case endLost(at: Int)
    /// It was truncated in place.
    case truncated
    /// The inode belongs to another file by now.
    case otherFile

    package init(_ stored: FilePosition, of file: Int32, birth: Int64, boot: String) {
        let hasHead = FileBytes.fingerprint(file, 0..<stored.head.length) == stored.head
        let hasTail = Self.holds(stored.point, file)
        let hasOtherBirth = stored.birth != 0 && birth != 0 && stored.birth != birth
        switch (hasHead, hasTail) {
        case _ where hasOtherBirth: self = .otherFile
        case (true, true): self = .resumed
        case (true, false) where stored.boot != boot && Self.holds(stored.settled, file):
            self = .endLost(at: stored.settled.offset)
        case (false, _) where stored.boot != boot && stored.settled.isWhole && Self.holds(stored.settled, file):
            // The file is shorter than the first bytes that were read.
            self = .endLost(at: stored.settled.offset)
        default: self = .truncated
        }
    }

    /// Whether the bytes before a point are those of the file.
    private static func holds(_ point: FilePosition.Point, _ file: Int32) -> Bool {
        FileBytes.fingerprint(file, point.offset - point.tail.length..<point.offset) == point.tail
    }

    /// Whether all of a file is the beginning of an open one, as a copy is that was made before the original grew; nil if it is
    /// empty, and may become a copy.
    static func isCopy(_ file: Int32, size: Int, ofOpen original: Int32) -> Bool? {
        guard size > 0 else { return nil }
        let length = FilePosition.fingerprintLength
        for range in [0..<min(size, length), max(size - length, 0)..<size] {
            let bytes = FileBytes.read(original, range)
            guard bytes != nil, bytes == FileBytes.read(file, range) else { return false }
        }
        return true
    }

    /// Whether a file is a copy of the one that a position is of, at least up to there; nil if it may become one, as it grows.
    static func isCopy(_ file: Int32, size: Int, of position: FilePosition) -> Bool? {
        guard position.head.length > 0, size >= position.head.length,
            FileBytes.fingerprint(file, 0..<position.head.length) == position.head
        else { return false }
        guard size >= position.offset else { return nil }
        return holds(position.point, file)
    }
}
