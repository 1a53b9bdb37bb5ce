import Glibc
import LineRecords
import RecorderHTTP
import RecorderStore

/// Where the reading of new files begins.
extension FlowFollower {
    /// A new file that is open.
    private struct Opened {
        let found: FoundFile
        let file: OpenFile
        var position: FilePosition
    }

    /// Takes up the files of a pattern that were found for the first time. Files with a position come first: others may be copies
    /// of what they held.
    func admit(_ found: ArraySlice<FoundFile>, in scan: PatternScan, into admission: inout FileAdmission) {
        let pattern = scan.pattern
        let mark = admission.mark(of: pattern, flow.stream)
        var (unknown, unreadable) = ([Opened](), [FilePosition]())
        var hasUnread = scan.hasUnread
        for file in found {
            guard var opened = open(file, of: pattern, into: &admission) else {
                hasUnread = true
                continue
            }
            if let below = admission.below.removeValue(forKey: file.key) { drop(below) }
            var stored = admission.take(opened.position, isLayered: opened.file.isLayered)
            // A compressed one that was left out stays left out.
            let isLeft = file.relation == .compressed && stored?.isFinished == true
            let isSame = stored?.birth == opened.position.birth
            if let unread = stored, unread.isGone, unread.offset == 0, isSame, !isLeft {
                // It is there again, and may be a copy.
                gone.remove(unread)
                stored = nil
            }
            let phase = if let stored { resume(&opened, at: stored, into: &admission) } else { FileState.Phase?.none }
            if opened.file.error != 0 {
                setAside(opened, of: pattern)
                hasUnread = true
                if let stored { unreadable.append(stored) }
            } else if let phase {
                add(opened, as: phase, isStored: true, to: &admission)
            } else {
                unknown.append(opened)
            }
        }
        forgetGone(of: pattern, scan, in: &admission)
        // One that was renamed since it was found may be the original of these, and one that cannot be read that of some.
        let held = unknown.filter { opened in
            needsScan || unreadable.contains { mayBeCopy(base: opened.found.base, path: opened.found.path, of: $0) }
        }
        if !held.isEmpty {
            let keys = Set(held.map(\.found.key))
            missed += held.map { (pattern, $0.found) }
            for key in keys { claims.release(key) }
            unknown.removeAll { keys.contains($0.found.key) }
            hasUnread = true
        }
        if !unknown.isEmpty {
            admission.paths.formUnion((gone.originals + files.map(\.position)).map(\.path))
        }
        for opened in unknown {
            switch admission.origin(of: opened.position, mark) {
            case .first: begin(opened, of: pattern, into: &admission)
            case .later where isTooOld(opened.found.facts): begin(opened, of: pattern, into: &admission)
            case .later: beginLater(opened, into: &admission)
            case .positionLost where opened.found.relation == .compressed: begin(opened, of: pattern, into: &admission)
            case .positionLost:
                observer.tell(.incomplete(.positionLost(opened.found.path)))
                add(opened, isStored: false, to: &admission)
            }
        }
        hasUnread = hasUnread || unknown.contains { $0.file.error != 0 }
        // Otherwise the next scan looks for files that are gone.
        if scan.isStable { admission.marks.insert(pattern.bytes) }
        if hasUnread { admission.unread.insert(pattern.bytes) }
        let isPartial =
            admission.unread.contains(pattern.bytes) || waiting.new.contains { $0.scan.pattern.bytes == pattern.bytes }
        if mark == nil || (mark?.birth != 0 && !isPartial) {
            var mark = FilePosition(stream: flow.stream, pattern: pattern.text)
            if isPartial { mark.birth = scan.start }
            admission.changes.stored.append(mark)
        }
    }

    private func open(_ file: FoundFile, of pattern: FilePattern, into admission: inout FileAdmission) -> Opened? {
        let new = openFiles.open(file.path, followsLink: file.isLink)
        let number = errno
        guard let new, new.facts?.key == file.key else {
            if new == nil, number != ENOENT {
                let reason: FollowNotice.Reason = number == ELOOP ? .replacedByLink : .problem(.unreachable(number))
                observer.tell(.notFollowed(file.path, reason))
                needsRescan = true
            } else {
                needsScan = true
            }
            missed.append((pattern, file))
            claims.release(file.key)
            if let facts = new?.facts { glimpse(file.with(facts), of: pattern) }
            return nil
        }
        return Opened(found: file, file: new, position: position(of: file, pattern))
    }

    /// Leaves a file that cannot be read to a scan after a while.
    private func setAside(_ opened: Opened, of pattern: FilePattern) {
        observer.tell(.notFollowed(opened.found.path, .unreadable(opened.file.error)))
        claims.release(opened.found.key)
        let found = opened.found
        let facts = FileFacts(found.key, unread: opened.file.facts?.size, changed: found.facts.changed)
        missed.append((pattern, found.with(facts)))
        needsRescan = true
    }

    /// The position of a file before anything is read.
    func position(of file: FoundFile, _ pattern: FilePattern) -> FilePosition {
        var position = FilePosition(stream: flow.stream, pattern: pattern.text)
        (position.path, position.directoryDevice) = (file.path, file.directoryDevice)
        (position.device, position.inode) = (file.key.device, file.key.inode)
        (position.birth, position.boot) = (file.key.birth, boot)
        return position
    }

    @discardableResult
    private func add(
        _ opened: Opened,
        as phase: FileState.Phase? = nil,
        isStored: Bool,
        to admission: inout FileAdmission
    ) -> FollowedFile {
        let saves = FileSaves(opened.position, isStored: isStored)
        let file = FollowedFile(
            opened.found,
            in: flow,
            file: opened.file,
            saves: saves,
            as: phase ?? .unread(since: system.now),
            among: openFiles
        )
        admission.files.append(file)
        admission.paths.insert(file.position.path)
        return file
    }

    /// Goes on where reading ended; nil if the position is another file's, whose inode this one has.
    private func resume(
        _ opened: inout Opened,
        at stored: FilePosition,
        into admission: inout FileAdmission
    ) -> FileState.Phase? {
        let hasOtherID = stored.id != opened.position.id
        let isCompressed = opened.found.relation == .compressed
        let start =
            isCompressed
            ? stored.birth == opened.position.birth ? .resumed : .otherFile
            : FileStart(stored, of: opened.file, birth: opened.position.birth, boot: boot)
        guard start != .unreadable else { return nil }
        let isCopiedUp = start == .resumed && !isCompressed && stored.birth != opened.position.birth
        if isCopiedUp, isPartOfLine(stored, in: opened.file) { return nil }
        if hasOtherID, start != .otherFile { admission.changes.forgotten.append(stored.id) }
        if start != .otherFile { gone.remove(stored) }
        switch start {
        case .resumed:
            (opened.position.head, opened.position.tail) = (stored.head, stored.tail)
            (opened.position.offset, opened.position.sum) = (stored.offset, stored.sum)
            // One that is there again may get more, though it was told that it was gone.
            opened.position.isFinished = stored.isFinished && !(stored.isGone && opened.found.relation == .matches)
            // What was read from the disk after a boot is on it.
            opened.position.settled = stored.boot == boot ? stored.settled : stored.point
            if hasOtherID || stored.isGone { admission.changes.stored.append(opened.position) }
        case .endLost(let end):
            observer.tell(.incomplete(.endLost(stored, at: end)))
            opened.position.move(to: end, in: opened.file)
            opened.position.settled = opened.position.point
            admission.changes.stored.append(opened.position)
        case .truncated:
            gone.addTruncated(stored)
            (truncations, mayMissCopies) = (truncations + 1, true)
            return .replaced
        case .otherFile:
            if !stored.isGone { lose(stored, into: &admission) }
            return nil
        case .unreadable: return nil
        }
        let isAtEnd = opened.position.offset == opened.found.facts.size && !opened.found.facts.isRecent(at: system.time)
        let mayClose = isCompressed ? stored.isFinished : opened.found.relation != .matches && isAtEnd
        return mayClose ? .closed : .unread(since: system.now)
    }

    /// Begins with a file that existed when its pattern was followed for the first time, or is too old. What was rotated away is
    /// not read.
    private func begin(_ opened: Opened, of pattern: FilePattern, into admission: inout FileAdmission) {
        var opened = opened
        let facts = opened.found.facts
        let isCompressed = opened.found.relation == .compressed
        let isTooOld = isTooOld(facts)
        let isLeft = isCompressed || isTooOld || opened.found.relation == .rotated
        if isLeft || flow.firstSight == .end {
            let end =
                isCompressed
                ? 0 : isLeft ? facts.size : opened.file.lastLineEnd(before: facts.size, delimiter: flow.rules.delimiter)
            opened.position.move(to: end, in: opened.file)
            opened.position.isFinished = isLeft
            guard opened.file.error == 0 else { return setAside(opened, of: pattern) }
            admission.changes.stored.append(opened.position)
            if isTooOld { observer.tell(.reading(opened.found.path, .tooOld(bytes: facts.size))) }
        }
        add(opened, as: isLeft ? .closed : nil, isStored: isLeft || flow.firstSight == .end, to: &admission)
    }

    func isTooOld(_ facts: FileFacts) -> Bool {
        flow.ignoredAge.map { .nanoseconds(system.time - facts.changed) > $0 } ?? false
    }

    /// Begins with a file that appeared later: at its start, unless it is a copy of a file that was read.
    private func beginLater(_ opened: Opened, into admission: inout FileAdmission) {
        guard opened.found.relation != .compressed else {
            add(opened, as: .undecided, isStored: false, to: &admission)
            return
        }
        // Compared as text first: there may be many.
        let hasOriginal =
            admission.paths.contains(opened.found.base)
            && (gone.originals + (files + admission.files).map(\.position)).contains {
                mayBeCopy(base: opened.found.base, path: opened.found.path, of: $0)
            }
        guard hasOriginal else {
            if opened.found.relation == .rotated {
                observer.tell(.reading(opened.found.path, .rotated(base: opened.found.base)))
            }
            add(opened, isStored: false, to: &admission)
            return
        }
        compare(add(opened, as: .undecided, isStored: false, to: &admission), beside: admission.files)
    }

    // MARK: - copies

    /// What a file that may be a copy is by now. A copy is a file whose whole content was read from another one, or all of it up to
    /// where that was read to.
    func comparison(of file: FollowedFile, beside new: [FollowedFile] = []) -> FileState.Comparison {
        guard let open = file.file, let facts = open.facts else { return .failed }
        if file.isCompressed { return comparisonOfCompressed(file, open, facts: facts) }
        if facts.size == 0, facts.names == 0 { return .nothing }
        if let found = comparisonWithGone(of: file, open, facts: facts) { return found }
        for original in files + new
        where original !== file && mayBeCopy(base: file.base, path: file.path, of: original.position) {
            if let found = comparison(of: file, open, facts: facts, with: original) { return found }
        }
        guard open.error == 0 else { return .failed }
        // Something may be copied into an empty file.
        return facts.size == 0 && facts.isRecent(at: system.time) ? .undecided : .other
    }

    /// Compares with files that were truncated or are gone; nil if it is no copy of those.
    private func comparisonWithGone(
        of file: FollowedFile,
        _ open: OpenFile,
        facts: FileFacts
    ) -> FileState.Comparison? {
        // What a file of a lower layer became may be gone, and a copy of that not.
        let below = files.filter { $0.state.name == .none && $0.file?.isLayered == true && $0.base == file.base }
        for original in (gone.originals + below.map(\.storedPosition.gone)).sorted(by: { $0.offset > $1.offset })
        where original.offset > 0 && mayBeCopy(base: file.base, path: file.path, of: original) {
            if facts.size >= original.offset, open.holds(upTo: original), !isPartOfLine(original, in: open) {
                guard open.error == 0 else { return .failed }
                gone.found(original)
                observer.tell(.incomplete(.copied(file.path, of: original)))
                // Before anything else of the original is stored in place of its position.
                begin(file, after: original)
                return .other
            }
            // The original was read on after it was copied: all lines of the copy are stored.
            let isEqual = file.compared.id == original.id && file.compared.bytes == facts.size
            if facts.size > 0, isEqual, facts.size <= original.offset { return .copy }
        }
        return nil
    }

    /// Whether a file that is gone had a part of one line, which may be the beginning of any file.
    private func isPartOfLine(_ gone: FilePosition, in file: OpenFile) -> Bool {
        gone.isGone && !file.hasLine(before: gone.offset, flow.rules.delimiter)
    }

    /// Begins with a copy where its original was read to.
    func begin(_ file: FollowedFile, after original: FilePosition) {
        var position = file.position
        (position.offset, position.sum) = (original.offset, original.sum)
        (position.head, position.tail) = (original.head, original.tail)
        begin(file, at: position)
    }

    /// Compares with a file that is followed; nil if it is no copy of that.
    private func comparison(
        of file: FollowedFile,
        _ open: OpenFile,
        facts: FileFacts,
        with original: FollowedFile
    ) -> FileState.Comparison? {
        let stored = original.storedPosition
        if original.file == nil, facts.size > 0, facts.size == stored.offset, open.holds(upTo: stored) {
            file.compared = (facts.size, original.path, stored.id)
            return .copy
        }
        guard let other = openedFile(original) else {
            return system.facts(of: original.path, followsLink: true)?.key == original.key ? .undecided : nil
        }
        let known = file.compared.path == original.path ? file.compared.bytes : 0
        // A large file is compared in several steps; others are read between them.
        let end = min(facts.size, known + 64 * 1_024 * 1_024)
        if end > known {
            let equal = open.countEqual(to: other, in: known..<end)
            file.compared = (known + equal, original.path, stored.id)
        }
        guard other.error == 0 else {
            // If it is open, the next reading fails.
            if original.state.isRead { _ = original.handle(.changed) }
            return .undecided
        }
        if file.compared.bytes == facts.size {
            let isRead = facts.size <= stored.offset
            return facts.size > 0 && isRead && (!facts.isRecent(at: system.time) || facts.names == 0)
                ? .copy : facts.size > 0 ? .undecided : nil
        }
        if file.compared.bytes == end {
            needsScan = true
            return .undecided
        }
        if isCopyOfUnread(open, facts: facts, below: original, other) { return .undecided }
        // The original may have been truncated since it was copied; otherwise a copy would not differ.
        guard stored.offset > 0, !original.holdsStoredLines(in: other) else { return nil }
        return facts.size < stored.offset || open.holds(upTo: stored) ? .undecided : nil
    }

    /// Whether a file may be a copy of what a file of a lower layer became: it is read on where that ends, once that is stored.
    private func isCopyOfUnread(
        _ open: OpenFile,
        facts: FileFacts,
        below original: FollowedFile,
        _ other: OpenFile
    ) -> Bool {
        guard original.state.name == .none, original.isBehind, other.isLayered, let size = other.facts?.size else {
            return false
        }
        let start = 0..<min(size, 64 * 1_024)
        return size > 0 && size < facts.size && open.countEqual(to: other, in: start) == start.count
    }

    /// Behind all of a copy.
    func copiedPosition(of file: FollowedFile) -> FilePosition? {
        guard let open = file.file else { return nil }
        var position = file.position
        if file.isCompressed {
            position.move(to: file.compared.bytes, in: GzipFile(open))
        } else {
            // The beginning of a line may be no copy.
            let end = open.lastLineEnd(before: file.compared.bytes, delimiter: flow.rules.delimiter)
            position.move(to: end, in: open)
        }
        position.isFinished = true
        return position
    }

    /// Stores that all of a copy was read.
    func skip(_ file: FollowedFile, to end: FilePosition) {
        begin(file, at: end)
        needsScan = true
        guard file.compared.bytes > 0 else { return }
        copies += 1
        observer.tell(.reading(file.path, .copy(bytes: file.compared.bytes, of: file.compared.path)))
    }

    /// Whether a file has a name that a copy would have. Others may begin with the same lines.
    private func mayBeCopy(base: String, path: String, of position: FilePosition) -> Bool {
        base.utf8.elementsEqual(position.path.utf8) && !path.utf8.elementsEqual(position.path.utf8)
    }

    /// Forgets positions of files that the scan should have found.
    private func forgetGone(of pattern: FilePattern, _ scan: PatternScan, in admission: inout FileAdmission) {
        guard scan.isStable else { return }
        let gone = admission.takeGone(of: flow.stream, pattern)
        let known = gone.isEmpty ? [] : Set(files.map(\.key))
        for stored in gone where !known.contains(stored.key) {
            // Another process may read it, under another name.
            guard claims.isFree(stored.key) else { continue }
            guard scan.isGone(stored.path, from: stored.directoryDevice) else {
                observer.tell(.notFollowed(stored.path, .outOfReach(stored)))
                continue
            }
            lose(stored, into: &admission)
        }
    }

    /// Keeps the position of a file that is gone, as a copy or a compressed file may have its content.
    func lose(_ stored: FilePosition, into admission: inout FileAdmission) {
        admission.lose(gone.add(stored))
        mayMissCopies = true
    }
}
