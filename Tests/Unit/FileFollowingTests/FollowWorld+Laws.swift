import FileFollowing
import RecorderStore

/// What must hold once everything that was written had time to be read.
extension FollowWorld {
    /// What broke a law.
    var faults: [String] {
        // The fewest that a follower takes for its own, whatever the limit, and one that a copy is compared with.
        var faults = settings.descriptors == 1 && mostOpen > 16 + 1 ? ["\(mostOpen) files are open"] : []
        let numbers = Dictionary(grouping: lines.indices) { lines[$0].text }
        for (text, same) in numbers.sorted(by: { $0.key < $1.key }) {
            let count = store.records[text, default: 0]
            let isFault = count > same.count ? !same.contains(where: isForgotten) : !same.contains(where: isExcused)
            guard count != same.count, isFault else { continue }
            let line = lines[same[0]]
            let place = "inode \(line.file.inode), truncated \(line.generation) times"
            faults.append("stored \(count) times, written \(same.count): \(text.prefix(12)) of \(place)")
        }
        faults += store.records.keys.filter { numbers[$0] == nil && !isPart($0) }.map {
            "never written: \($0.prefix(40))"
        }
        return faults
    }

    /// Whether a follower does not know of a line, or said that it may be missing.
    private func isExcused(_ number: Int) -> Bool {
        let line = lines[number]
        let isUnknown = !known.contains(line.file) && !isThere(line.file)
        return isUnknown || number >= seen[line.file, default: 0] || isTold(number) || isTakenForCompressed(number)
    }

    /// Whether the next follower may have taken a compressed file for one that was there before it, and of which nothing had been
    /// read: its content is not known.
    private func isTakenForCompressed(_ number: Int) -> Bool {
        let line = lines[number]
        guard settings.kills, !isThere(line.file) else { return false }
        let isUnread = !lines.contains {
            $0.file == line.file && $0.generation == line.generation && store.records[$0.text] != nil
        }
        return isUnread
            && notices.contains { notice, count, _ in
                if case .reading(let path, .rotated) = notice { number < count && path.hasSuffix(".gz") } else { false }
            }
    }

    func store(_ position: FilePosition) {
        let file = position.file
        guard !position.isGone else {
            gone[file] = lines.count
            return
        }
        known.insert(file)
        let generations = truncated[file, default: []]
        let isOlder = position.offset > 0 && generations.last.map { holds($0, position) } == true
        stored[file] = generations.count - (isOlder ? 1 : 0)
    }

    /// A follower was killed: the next one knows what is stored.
    func forgetSeen() {
        for file in seen.keys where store.position(of: file)?.isFinished ?? true {
            // Another file may have had the same line.
            let last = lines.lastIndex { $0.file == file && store.records[$0.text] != nil }
            seen[file] = min(seen[file, default: 0], last.map { $0 + 1 } ?? 0)
        }
        // What a file got that was there again, after it was gone.
        for (file, count) in gone where store.position(of: file)?.isGone == true {
            seen[file] = min(seen[file, default: 0], count)
        }
        // A truncation that no position shows is found with its file: if that is gone, it may as well have been renamed.
        for (number, line) in lines.enumerated() where line.generation > stored[line.file, default: 0] {
            seen[line.file] = min(seen[line.file, default: 0], number)
        }
    }

    /// Whether a file has a name of the pattern, in the end.
    private func isThere(_ file: FileKey) -> Bool {
        disk.names(in: "/logs")?.contains { name in
            name.hasSuffix(".log") && (settings.hasWildcards || name.utf8.elementsEqual(self.name.utf8))
                && disk.find("/logs/\(name)").node?.key == file
        } == true
    }

    /// Whether a line may be in a copy that was found, or was complete, only later: where the link led for a moment, compressed,
    /// or one that could not be read. What a truncated file held is remembered until the follower ends, and what a deleted one
    /// held only for compressed files.
    private func isForgotten(_ number: Int) -> Bool {
        let line = lines[number]
        guard line.generation < truncated[line.file, default: []].count else { return false }
        if settings.kills {
            return settings.failsReads || settings.rotations.contains { $0 == .repoint || $0 == .compress }
        }
        return settings.rotations.contains(.repoint)
            && notices.contains { notice, _, _ in
                if case .incomplete(.gone(let position)) = notice { isOf(line, position) } else { false }
            }
    }

    private func isOf(_ line: Line, _ position: FilePosition) -> Bool {
        line.file == position.file || (line.file == copiedUp?.above && copiedUp?.below == position.file)
    }

    /// Whether a record is what there was of a line when its deleted file was given up, or the rest of it.
    private func isPart(_ record: String) -> Bool {
        lines.contains { line in
            (line.text.hasPrefix(record) || line.text.hasSuffix(record))
                && endOfDeleted(line.file).map { $0 < line.end } == true
        }
    }

    /// Where a file was given up of which it is not known whether a program has it open: it is read for a minute.
    private func endOfDeleted(_ file: FileKey) -> Int? {
        notices.lazy.compactMap { notice, _, _ in
            guard case .reading(_, .deleted(let position, .unknown)) = notice else { return nil }
            return position.file == file ? position.offset : nil
        }.min()
    }

    /// Whether it was said of its file that lines after a byte before it may be missing.
    private func isTold(_ number: Int) -> Bool {
        let line = lines[number]
        if let end = endOfDeleted(line.file), end < line.end { return true }
        let generations = truncated[line.file, default: []]
        if line.generation < generations.count, generations[line.generation] == nil { return true }
        // What was truncated and deleted while nothing followed it looks as if it had been renamed.
        if gaps.contains(number), stored[line.file, default: 0] <= line.generation { return true }
        return notices.contains { notice, count, copy in
            guard number < count, case .incomplete(let loss) = notice else { return false }
            // A file that begins like one that is gone is taken for its copy.
            if case .copied(_, let original) = loss, copy == line.file, line.end <= original.offset { return true }
            let position: FilePosition? =
                switch loss {
                case .truncated(let position), .cutOff(let position), .gone(let position): position
                case .copied(_, let original): original
                case .endLost, .positionLost: nil
                }
            guard let position, isOf(line, position) else { return false }
            // It may have been truncated more than once since, also between a reading and its save.
            if generations.prefix(line.generation).contains(where: { $0 == nil || holds($0, position) }) { return true }
            let isSame = line.generation < generations.count ? holds(generations[line.generation], position) : true
            return isSame && position.offset < line.end
        }
    }

    /// Whether a position may be one of what a file held.
    func holds(_ bytes: [UInt8]?, _ position: FilePosition) -> Bool {
        guard let bytes, position.offset <= bytes.count else { return false }
        let tail = bytes[position.offset - position.tail.length..<position.offset]
        return unsafe tail.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) } == position.tail
    }
}

extension FilePosition {
    var file: FileKey { FileKey(device: device, inode: inode, birth: birth) }
}
