import LineRecords
import RecorderStore

extension FollowNotice.Loss {
    package var text: String {
        switch self {
        case .truncated(let position):
            "\(position.path) was truncated in place, or written anew, and is read from its start. It had been read to byte "
                + "\(Formatting.count(position.offset)): lines that were written after that and before the truncation may "
                + "be missing. Rotate it by renaming to lose none."
        case .cutOff(let position):
            "\(position.path) was truncated in place, or written anew, after byte \(Formatting.count(position.offset)). Its "
                + "lines are stored up to there, and it is read on from there: lines that were written after that and before "
                + "the truncation may be missing."
        case .gone(let position):
            "\(position.path) is gone: it was deleted, or compressed after a rotation. It had been read to byte "
                + "\(Formatting.count(position.offset)): lines after that may be missing."
        case .copied(let path, let original):
            "\(original.path) "
                + (original.isGone
                    ? "is gone"
                    : "was truncated in place; lines that were written between its copying and that are missing")
                + "; its copy \(path) is read from byte \(Formatting.count(original.offset))."
        case .endLost(let position, let end):
            "\(position.path) lost its end when the machine went down. It had been read to byte "
                + "\(Formatting.count(position.offset)), and is read on from byte \(Formatting.count(end)): lines after that "
                + "may be stored a second time."
        case .positionLost(let path):
            "the position of \(path) was lost when the store was damaged. It is read from byte 0: its lines may be stored a "
                + "second time."
        }
    }
}

extension FollowNotice.Note {
    package func text(of path: String) -> String {
        switch self {
        case .rotated(let base): "\(path) is read, too: it has the name of a rotated \(base)."
        case .copy(let bytes, let original):
            "\(path) is not read: its \(Formatting.count(bytes)) bytes are a copy of those of \(original), which were read."
        case .compressed(let position):
            "\(position.path) was compressed before it was read to its end: its content in \(path) is read from byte "
                + "\(Formatting.count(position.offset)) on."
        case .tooOld(let bytes):
            "\(path) is not read: its \(Formatting.count(bytes)) bytes are older than --ignore-older."
        case .decompressed(let end):
            "the content of \(path) was read to byte \(Formatting.count(end)), its end."
        case .moved(let bytes):
            "\(path) was moved away, or its link leads to another file: it is closed, read to its end"
                + (bytes > 0 ? " but for \(Formatting.count(bytes)) bytes of a line that lacks its end." : ".")
        case .deleted(let position, let writers):
            "\(path) was deleted, and "
                + (writers == .none
                    ? "no program has it open for writing"
                    : "nothing was added to it for \(Formatting.elapsed(FileState.idleTime))")
                + ": it was read to byte \(Formatting.count(position.offset)), its end."
        }
    }
}

extension FollowEnd {
    package func summary(of stream: String, elapsed: Duration) -> String {
        let stream = StreamName(unchecked: stream)
        var line = "saved \(Formatting.records(saved)) to \(stream) in \(Formatting.elapsed(elapsed))"
        if refused > 0 { line += "; refused \(Formatting.count(refused))" }
        if cut > 0 { line += "; cut \(Formatting.count(cut))" }
        if withoutKey > 0 { line += "; \(Formatting.count(withoutKey)) without the text for their key" }
        if withoutFields > 0 { line += "; \(Formatting.count(withoutFields)) without an added field" }
        line += RecordCounts.summary(ofGivenUp: givenUp)
        return line
    }
}
