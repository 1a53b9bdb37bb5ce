import FileFollowing
import LineRecords
import RecorderConcurrency
import RecorderEngine

/// What a follower says: each thing once.
final class FollowLog {
    enum Topic: String {
        case problem, key, field, search, refused, cut, rotated, count
    }

    private let console: Console
    /// By path, or stream.
    private var told: [String: [Topic: String]] = [:]

    init(_ console: Console) {
        self.console = console
    }

    func tell(_ text: String, as topic: Topic = .problem, about path: String) {
        guard isNew(text, topic, of: path) else { return }
        // A refused line is not stored.
        if topic == .refused { console.error(text) } else { console.warning(text) }
    }

    private func isNew(_ text: String, _ topic: Topic, of path: String) -> Bool {
        told[path, default: [:]].updateValue(text, forKey: topic) != text
    }

    /// Forgets what it said about a file that is not followed any more.
    func forget(_ path: String) {
        told[path] = nil
    }

    func progress(_ text: String) {
        console.progress(text)
    }

    /// Says how many files are followed, if that has changed.
    func count(_ files: Int, _ stream: String) {
        let text = "following \(Formatting.count(files)) file\(files == 1 ? "" : "s") into \(stream)."
        if isNew(text, .count, of: stream) { console.progress(text) }
    }

    /// Says that a file is read that was never followed under the pattern's name.
    func tellRotated(_ path: String, from base: String) {
        let text = "\(path) is read, too: it has the name of a rotated \(base)."
        if isNew(text, .rotated, of: path) { console.progress(text) }
    }

    func tell(_ orphan: Orphan) {
        let position = orphan.position
        let byte = Formatting.count(position.offset)
        if orphan.isTruncated {
            console.warning(
                "\(position.path) was truncated in place, or written anew, and is read from its start. It had been read to byte "
                    + "\(byte): lines that were written after that and before the truncation may be missing. Rotate it by "
                    + "renaming to lose none."
            )
        } else if !position.isFinished {
            console.warning(
                "\(position.path) is gone: it was deleted, or compressed after a rotation. It had been read to byte \(byte): "
                    + "lines after that may be missing."
            )
        }
    }

    /// Says that a file lost what followed its stored lines.
    func tellCutOff(_ path: String, at end: Int) {
        console.warning(
            "\(path) was truncated in place, or written anew, after byte \(Formatting.count(end)). Its lines are stored up "
                + "to there, and it is read on from there: lines that were written after that and before the truncation may "
                + "be missing."
        )
    }

    /// Says that a file exists under a name that no pattern has.
    func tellLeft(_ path: String) {
        console.progress("\(path) was moved away, or its link leads to another file: it is closed, read to its end.")
    }

    /// Says of the first record without the text for a partition key that there is none.
    func tellWithoutKey(_ counts: RecordCounts, of path: String, _ rules: RecordRules) {
        guard let number = counts.firstWithoutKey, let note = rules.noteWithoutKey(number) else { return }
        tell("\(path): \(note)", as: .key, about: path)
    }

    /// Says of the first record that is stored without a field that there is one.
    func tellWithoutFields(_ counts: RecordCounts, of path: String) {
        if let note = counts.noteWithoutFields { tell("\(path): \(note)", as: .field, about: path) }
    }

    /// Says of the first record in which a search was given up that there is one.
    func tellGivenUp(_ counts: RecordCounts, of path: String) {
        if let note = counts.noteGivenUp { tell("\(path): \(note)", as: .search, about: path) }
    }

    func tellUnreachable(_ position: FilePosition) {
        guard !position.isFinished else { return }
        tell(
            "\(position.path) cannot be reached, as if its file system were not mounted. Its position, byte "
                + "\(Formatting.count(position.offset)), is kept.",
            about: position.path
        )
    }

    func tellCopy(_ path: String, of orphan: Orphan) {
        let what =
            orphan.isTruncated
            ? "was truncated in place; lines that were written between its copying and that are missing" : "is gone"
        console.warning(
            "\(orphan.position.path) \(what); its copy \(path) is read from byte \(Formatting.count(orphan.position.offset))."
        )
    }

    func tellSkipped(_ path: String, bytes: Int, of original: String) {
        progress(
            "\(path) is not read: its \(Formatting.count(bytes)) bytes are a copy of those of \(original), which were read."
        )
    }

    func tellCompressed(_ path: String, of position: FilePosition) {
        progress(
            "\(position.path) was compressed before it was read to its end: its content in \(path) is read from byte "
                + "\(Formatting.count(position.offset)) on."
        )
    }

    func tellDecompressed(_ path: String, at end: Int) {
        progress("the content of \(path) was read to byte \(Formatting.count(end)), its end.")
    }

    /// Says why a deleted file is read no more.
    func tellDeleted(_ path: String, at end: Int, writers: FileState.Look.Writers) {
        let reason =
            writers == .none
            ? "no program has it open for writing"
            : "nothing was added to it for \(Formatting.elapsed(FileState.idleTime))"
        progress("\(path) was deleted, and \(reason): it was read to byte \(Formatting.count(end)), its end.")
    }

    /// Says how many of the files can be open.
    func tellTurns(_ files: OpenFiles) {
        tell(
            "at most \(files.limit) files are open at a time, as the limit of open files is \(files.descriptors); more are read in turn.",
            about: "open files"
        )
    }

    func tellLost(_ path: String) {
        console.warning(
            "the position of \(path) was lost when the store was damaged. It is read from byte 0: its lines may be stored a "
                + "second time."
        )
    }

    func tellPause(_ error: RecorderError, _ stream: String) {
        let reason =
            if case .storeFull = error { "the store is at its --limit. \(error.message)" } else { error.message }
        console.warning("reading for \(stream) stops: \(reason) It goes on by itself; lines wait in their files.")
    }

    /// Says what was refused since the last call.
    func tellRefused(_ counts: RecordCounts, of path: String, over limit: Int) {
        tellTooLong(counts.refused, of: counts.refusedCount, as: .refused, in: path, limit)
    }

    /// Says what was cut since the last call.
    func tellCut(_ counts: RecordCounts, of path: String, over limit: Int) {
        tellTooLong(counts.cut, of: counts.cutCount, as: .cut, in: path, limit)
    }

    private func tellTooLong(
        _ first: [RecordCounts.LongLine],
        of count: Int,
        as topic: Topic,
        in path: String,
        _ limit: Int
    ) {
        guard count > 0, let last = first.last else { return }
        let limit = Formatting.count(limit)
        let text =
            count <= first.count
            ? "\(path): a line of \(Formatting.count(last.bytes)) bytes was \(topic.rawValue); the limit is \(limit)."
            : "\(path): more lines over the limit of \(limit) bytes were \(topic.rawValue)."
        tell(text, as: topic, about: path)
    }
}

/// What a follower has done until it was stopped.
struct FollowEnd: Sendable {
    var saved = 0
    var refused = 0
    /// Lines of which only the beginning was saved.
    var cut = 0
    /// Records without the text for a partition key.
    var withoutKey = 0
    /// Records without a field that is added.
    var withoutFields = 0
    /// Searches for a pattern that took too long.
    var givenUp = 0

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

extension PatternScan.Problem {
    /// As in `/var/log is not followed: it is a directory`.
    var text: String {
        switch self {
        case .directory: "it is a directory; give the files in it, as in DIR/*.log"
        case .fifo: "it is a FIFO; `\(Program.name) save STREAM --file` reads it"
        case .socket: "it is a socket"
        case .device: "it is a device; `\(Program.name) save STREAM --file` reads it"
        case .compressed: "it is compressed; `zcat FILE | \(Program.name) save STREAM` saves its lines"
        case .notUTF8: "its name is not UTF-8"
        case .unreachable(let number): errorText(number)
        }
    }
}
