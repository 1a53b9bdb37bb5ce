package import RecorderStore

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
    /// It cannot be read.
    case unreadable

    package init(_ stored: FilePosition, of file: OpenFile, birth: Int64, boot: String) {
        let hasHead = file.fingerprint(0..<stored.head.length) == stored.head
        let hasTail = Self.holds(stored.point, file)
        let hasOtherBirth = stored.birth != 0 && birth != 0 && stored.birth != birth
        switch (hasHead, hasTail) {
        case _ where hasOtherBirth:
            // Copied into the layer of a container that is written to, a file has another time of birth. Of one without bytes
            // that were read, that cannot be told from another file.
            self = stored.offset > 0 && file.isLayered && file.holds(upTo: stored) ? .resumed : .otherFile
        case (true, true): self = .resumed
        case (true, false) where stored.boot != boot && Self.holds(stored.settled, file):
            self = .endLost(at: stored.settled.offset)
        case (false, _) where stored.boot != boot && stored.settled.isWhole && Self.holds(stored.settled, file):
            // The file is shorter than the first bytes that were read.
            self = .endLost(at: stored.settled.offset)
        default: self = .truncated
        }
        if file.error != 0 { self = .unreadable }
    }

    /// Whether the bytes before a point are those of the file.
    private static func holds(_ point: FilePosition.Point, _ file: OpenFile) -> Bool {
        file.fingerprint(point.offset - point.tail.length..<point.offset) == point.tail
    }
}
