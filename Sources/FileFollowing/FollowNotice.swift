package import LineRecords
package import RecorderStore

/// Who is told what a follower does. Called by the follower's thread.
package protocol FollowObserver: AnyObject {
    func tell(_ notice: FollowNotice)
    /// A file is not followed any more.
    func forget(_ path: String)
    /// How far the flows of a service are, by stream; once a second while files are read.
    func note(_ flows: [String: FlowMetrics], of service: String)
    /// Searches for a pattern were given up.
    func countGivenUp(_ searches: Int, of service: String)
}

/// What a follower tells. A notice may come again while its reason lasts.
package enum FollowNotice {
    /// A file is not followed, or cannot be read now.
    case notFollowed(String, Reason)
    /// Lines may be missing, or may be stored a second time.
    case incomplete(Loss)
    /// How a file is read that is not what its name says.
    case reading(String, Note)
    /// What became of a file's lines. `before` is what became of them until the last reading.
    case counted(String, RecordCounts, before: RecordCounts, RecordRules)
    case noFile(pattern: String)
    /// How many files all flows into a stream of a service follow.
    case count(files: Int, stream: String, service: String)
    /// Nothing is read for a stream for a while.
    case paused(RecorderError, stream: String)
    case resumed(stream: String)
    /// Files are read in turn.
    case turns(limit: Int, descriptors: Int)

    package enum Reason {
        case problem(PatternScan.Problem)
        /// The number of an error.
        case unreadable(Int32)
        case becameLink
        case isClaimed
        case notClaimed(RecorderError)
        case replacedByLink
        /// It is compressed, and ends early or is altered.
        case damaged
        /// As if its file system were not mounted.
        case outOfReach(FilePosition)
    }

    package enum Loss {
        /// The file of a position was truncated in place.
        case truncated(FilePosition)
        /// It lost what followed its position.
        case cutOff(FilePosition)
        case gone(FilePosition)
        /// A copy of a file that was truncated or is gone is read on.
        case copied(String, of: FilePosition)
        /// The machine went down, and a file is read on from a byte before its position.
        case endLost(FilePosition, at: Int)
        /// The position of a file was lost, so that it is read from its start.
        case positionLost(String)
    }

    package enum Note {
        /// A file is read that was never followed under the pattern's name.
        case rotated(base: String)
        /// All of it was read from another file.
        case copy(bytes: Int, of: String)
        case compressed(FilePosition)
        /// It was found for the first time, and is older than is wanted.
        case tooOld(bytes: Int)
        case decompressed(end: Int)
        /// It exists under a name that no pattern has; `unfinished` are the bytes of its last line, which lacks its end.
        case moved(unfinished: Int)
        case deleted(FilePosition, FileFacts.Writers)
    }
}

/// How far a flow is behind its files.
package struct FlowMetrics: Sendable {
    package var isPaused = false
    package var unreadBytes = 0
    package var files = 0
    package var readBytes = 0
    package var readRecords = 0
    /// For how long the file that waits longest has had bytes that are not stored.
    package var unreadSeconds = 0
    package var truncations = 0
    /// Files that were truncated in place or gone before they were read to their ends, each time.
    package var incompleteFiles = 0
    /// Files that are not read, because they are copies.
    package var copies = 0

    package init() {}

    package mutating func add(_ other: FlowMetrics) {
        isPaused = isPaused || other.isPaused
        unreadBytes = Formatting.sum(unreadBytes, other.unreadBytes)
        files += other.files
        readBytes += other.readBytes
        readRecords += other.readRecords
        unreadSeconds = max(unreadSeconds, other.unreadSeconds)
        truncations += other.truncations
        incompleteFiles += other.incompleteFiles
        copies += other.copies
    }
}

/// What a follower has done until it was stopped.
package struct FollowEnd: Sendable {
    package var saved = 0
    package var refused = 0
    /// Lines of which only the beginning was saved.
    package var cut = 0
    /// Records without the text for a partition key.
    package var withoutKey = 0
    /// Records without a field that is added.
    package var withoutFields = 0
    /// Searches for a pattern that took too long.
    package var givenUp = 0

    mutating func add(_ counts: RecordCounts) {
        refused += counts.refusedCount
        cut += counts.cutCount
        withoutKey += counts.withoutKey
        withoutFields += counts.withoutFields
        givenUp += counts.givenUp
    }

    mutating func add(_ other: FollowEnd) {
        saved += other.saved
        refused += other.refused
        cut += other.cut
        withoutKey += other.withoutKey
        withoutFields += other.withoutFields
        givenUp += other.givenUp
    }
}
