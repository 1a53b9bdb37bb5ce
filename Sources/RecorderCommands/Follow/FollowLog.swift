import FileFollowing
import LineRecords
import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// What a follower says: each thing once.
final class FollowLog: FollowObserver {
    private enum Topic: String {
        case problem, key, field, search, refused, cut, rotated, count, noFile
    }

    private let console: Console
    private let metrics: RunMetrics?
    /// By path, pattern or stream.
    private var told: [String: [Topic: String]] = [:]

    init(_ console: Console, _ metrics: RunMetrics?) {
        (self.console, self.metrics) = (console, metrics)
    }

    func note(_ flows: [String: FlowMetrics], of service: String) { metrics?.note(flows, of: service) }

    func countGivenUp(_ searches: Int, of service: String) { metrics?.countGivenUp(searches, of: service) }

    func forget(_ path: String) { told[path] = nil }

    private func isNew(_ text: String, _ topic: Topic, of path: String) -> Bool {
        told[path, default: [:]].updateValue(text, forKey: topic) != text
    }

    private func warn(_ text: String, about path: String, as topic: Topic = .problem) {
        guard isNew(text, topic, of: path) else { return }
        // A refused line is not stored.
        if topic == .refused { console.error(text) } else { console.warning(text) }
    }

    private func progress(_ text: String, about path: String, as topic: Topic) {
        if isNew(text, topic, of: path) { console.progress(text) }
    }

    func tell(_ notice: FollowNotice) {
        switch notice {
        case .notFollowed(let path, let reason): reason.text(of: path).map { warn($0, about: path) }
        case .incomplete(let loss): console.warning(loss.text)
        case .reading(let path, .rotated(let base)):
            progress(FollowNotice.Note.rotated(base: base).text(of: path), about: path, as: .rotated)
        case .reading(let path, let note): console.progress(note.text(of: path))
        case .counted(let path, let counts, let before, let rules): tell(counts, of: path, since: before, rules)
        case .noFile(let pattern):
            progress("there is no \(pattern) yet; it is followed once there is.", about: pattern, as: .noFile)
        case .count(let files, let stream, let service):
            let text = "following \(Formatting.counted(files, "file")) into \(stream)."
            progress(text, about: "\(service) \(stream)", as: .count)
        case .paused(let error, let stream):
            let isFull = if case .storeFull = error { true } else { false }
            let reason = isFull ? "the store is at its --limit. \(error.message)" : error.message
            console.warning("reading for \(stream) stops: \(reason) It goes on by itself; lines wait in their files.")
        case .resumed(let stream): console.progress("reading for \(stream) goes on.")
        case .turns(let limit, let descriptors):
            warn(
                "at most \(limit) files are open at a time, as the limit of open files is \(descriptors); more are read in turn.",
                about: "open files"
            )
        }
    }

    /// Says of the first record of a kind that there is one.
    private func tell(_ counts: RecordCounts, of path: String, since before: RecordCounts, _ rules: RecordRules) {
        func note(_ text: String?, _ topic: Topic) {
            if let text { warn("\(path): \(text)", about: path, as: topic) }
        }
        if before.withoutKey == 0 { note(counts.firstWithoutKey.flatMap(rules.noteWithoutKey), .key) }
        if before.withoutFields == 0 { note(counts.noteWithoutFields, .field) }
        if before.givenUp == 0 { note(counts.noteGivenUp, .search) }
        let limit = Formatting.count(rules.maximumRecordBytes)
        /// The lines beyond `before` of `count`, of which the first few are known.
        func noteLong(_ known: [RecordCounts.LongLine], from before: Int, to count: Int, _ topic: Topic) {
            guard count > before else { return }
            guard before < known.count else {
                return note("more lines over the limit of \(limit) bytes were \(topic.rawValue).", topic)
            }
            let bytes = Formatting.count(known[before].bytes)
            note(
                count == before + 1
                    ? "a line of \(bytes) bytes was \(topic.rawValue); the limit is \(limit)."
                    : "\(Formatting.count(count - before)) lines were \(topic.rawValue), the first one of \(bytes) bytes; "
                        + "the limit is \(limit).",
                topic
            )
        }
        noteLong(counts.refused, from: before.refusedCount, to: counts.refusedCount, .refused)
        noteLong(counts.cut, from: before.cutCount, to: counts.cutCount, .cut)
    }
}

extension FollowNotice.Reason {
    /// nil if there is nothing to say.
    fileprivate func text(of path: String) -> String? {
        switch self {
        case .problem(let problem): "\(path) is not followed: \(problem.text)."
        case .unreadable(let number): "\(path) cannot be read: \(String(errorNumber: number))."
        case .becameLink: "\(path) was a file and is a link now: it is not followed. Start again to follow it."
        case .isClaimed: "\(path) is followed already, into the same store and stream; it is left to that follower."
        case .notClaimed(let error): error.message
        case .damaged: "\(path) is not read: it is compressed, and damaged or incomplete."
        case .replacedByLink: "\(path) is not followed: it was replaced by a link."
        case .outOfReach(let position):
            position.isFinished
                ? nil
                : "\(path) cannot be reached, as if its file system were not mounted. Its position, byte "
                    + "\(Formatting.count(position.offset)), is kept."
        }
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
        case .store: "it is the database of a record store"
        case .own: "this command writes it, and each line would lead to another one"
        case .notUTF8: "its name is not UTF-8"
        case .unreachable(let number): String(errorNumber: number)
        }
    }
}
