import Glibc
import RecorderEngine

/// A position whose file was truncated in place, or is gone.
struct Orphan {
    let position: FilePosition
    let isTruncated: Bool
}

/// Where the reading of new files begins.
extension FlowFollower {
    /// A new file that is open.
    private struct Opened {
        let found: FoundFile
        let descriptor: Int32
        var position: FilePosition
    }

    /// Takes up the files of a pattern that were found for the first time. Files with a position come first: others may be copies
    /// of what they held.
    func admit(_ found: [FoundFile], of pattern: FilePattern, in scan: PatternScan, into admission: inout FileAdmission)
    {
        let mark = admission.mark(of: pattern, flow.stream)
        var unknown: [Opened] = []
        var hasUnread = scan.hasUnread
        for file in found {
            guard var opened = open(file, pattern) else {
                hasUnread = true
                continue
            }
            guard let stored = admission.take(opened.position) else {
                unknown.append(opened)
                continue
            }
            guard resume(&opened, at: stored, &admission) else {
                unknown.append(opened)
                continue
            }
            let isAtRest = file.relation != .matches && !file.isRecent && opened.position.offset == file.size
            add(opened, isAtRest: isAtRest, isStored: true, to: &admission)
        }
        forgetGone(pattern, scan, in: &admission)
        for opened in unknown {
            switch admission.origin(of: opened.position, mark) {
            case .first: begin(opened, &admission)
            case .later: beginLater(opened, &admission)
            case .positionLost:
                log.tellLost(opened.found.path)
                add(opened, isAtRest: false, isStored: false, to: &admission)
            }
        }
        // Otherwise the next scan looks for files that are gone.
        if scan.isStable { admission.marks.insert(pattern.text) }
        if mark == nil || (mark?.birth != 0 && !hasUnread) {
            var mark = FilePosition(stream: flow.stream, pattern: pattern.text)
            if hasUnread { mark.birth = scan.start }
            admission.changes.stored.append(mark)
        }
    }

    private func open(_ file: FoundFile, _ pattern: FilePattern) -> Opened? {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (file.isLink ? 0 : O_NOFOLLOW)
        let descriptor = unsafe Glibc.open(file.path, flags)
        let number = errno
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0, FileKey(status) == file.key else {
            if descriptor >= 0 {
                _ = close(descriptor)
            } else if number != ENOENT {
                let reason = number == ELOOP ? "it was replaced by a link" : Files.message(of: number)
                log.tell("\(file.path) is not followed: \(reason).", about: file.path)
            }
            release(file.key)
            needsRescan = true
            return nil
        }
        var position = FilePosition(stream: flow.stream, pattern: pattern.text)
        (position.path, position.directoryDevice) = (file.path, file.directoryDevice)
        (position.device, position.inode) = (file.key.device, file.key.inode)
        (position.birth, position.boot) = (birthTime(of: descriptor), boot)
        return Opened(found: file, descriptor: descriptor, position: position)
    }

    private func add(_ opened: Opened, isAtRest: Bool, isStored: Bool, to admission: inout FileAdmission) {
        let saves = FileSaves(opened.position, isStored: isStored)
        let file = FollowedFile(opened.found, in: flow, descriptor: opened.descriptor, saves: saves)
        if isAtRest { file.rest() }
        file.hasNews = !isAtRest
        admission.files.append(file)
    }

    /// Goes on where reading ended; false if the position is another file's, whose inode this one has.
    private func resume(_ opened: inout Opened, at stored: FilePosition, _ admission: inout FileAdmission) -> Bool {
        let hasOtherDevice = stored.id != opened.position.id
        if hasOtherDevice { admission.changes.forgotten.append(stored.id) }
        let path = opened.found.path
        switch FileStart(stored, of: opened.descriptor, birth: opened.position.birth, boot: boot) {
        case .resumed:
            (opened.position.head, opened.position.tail) = (stored.head, stored.tail)
            (opened.position.offset, opened.position.isFinished) = (stored.offset, stored.isFinished)
            // What was read from the disk after a boot is on it.
            opened.position.settled = stored.boot == boot ? stored.settled : stored.point
            if hasOtherDevice { admission.changes.stored.append(opened.position) }
        case .endLost(let end):
            log.tell(
                "\(path) lost its end when the machine went down. It had been read to byte \(Formatting.count(stored.offset)), "
                    + "and is read on from byte \(Formatting.count(end)): lines after that may be stored a second time.",
                about: path
            )
            opened.position.move(to: end, in: opened.descriptor)
            opened.position.settled = opened.position.point
            admission.changes.stored.append(opened.position)
        case .truncated:
            orphans.append(Orphan(position: stored, isTruncated: true))
            admission.changes.stored.append(opened.position)
        case .otherFile:
            if !stored.isFinished { orphans.append(Orphan(position: stored, isTruncated: false)) }
            if !hasOtherDevice { admission.changes.forgotten.append(stored.id) }
            return false
        }
        return true
    }

    /// Begins with a file that existed when its pattern was followed for the first time. What was rotated away is not read.
    private func begin(_ opened: Opened, _ admission: inout FileAdmission) {
        var opened = opened
        let (size, isRotated) = (opened.found.size, opened.found.relation == .rotated)
        let beginsAtEnd = isRotated || flow.firstSight == .end
        if beginsAtEnd {
            let end =
                isRotated
                ? size : FileBytes.lastLineEnd(opened.descriptor, before: size, delimiter: flow.delimiter)
            opened.position.move(to: end, in: opened.descriptor)
            opened.position.isFinished = isRotated
            admission.changes.stored.append(opened.position)
        }
        add(opened, isAtRest: isRotated, isStored: beginsAtEnd, to: &admission)
    }

    /// Begins with a file that appeared later: at its start, unless it is a copy of a file that was read.
    private func beginLater(_ opened: Opened, _ admission: inout FileAdmission) {
        var opened = opened
        if let index = orphans.firstIndex(where: { isCopy(opened, of: $0.position) == true }) {
            let orphan = orphans.remove(at: index)
            log.tellCopy(opened.found.path, of: orphan)
            opened.position.move(to: orphan.position.offset, in: opened.descriptor)
            // Before anything else of the original is stored in place of its position.
            admission.changes.stored.append(opened.position)
            return add(opened, isAtRest: false, isStored: true, to: &admission)
        }
        if copies.contains(opened.found.key), orphans.contains(where: { isShorterCopy(opened, of: $0.position) }) {
            // The original was read on after it was copied: all lines of the copy are stored.
            opened.position.move(to: opened.found.size, in: opened.descriptor)
            opened.position.isFinished = true
            admission.changes.stored.append(opened.position)
            return add(opened, isAtRest: true, isStored: true, to: &admission)
        }
        for file in files + admission.files where file.key != opened.found.key {
            let isCopy = isCopy(opened, of: file)
            let mayBecomeCopy = isCopy == nil && opened.found.isRecent
            guard isCopy == true || mayBecomeCopy else { continue }
            holdsCopies = true
            copies.insert(opened.found.key)
            needsRescan = needsRescan || mayBecomeCopy
            _ = close(opened.descriptor)
            return release(opened.found.key)
        }
        copies.remove(opened.found.key)
        if opened.found.relation == .rotated { log.tellRotated(opened.found.path, from: opened.found.base) }
        add(opened, isAtRest: false, isStored: false, to: &admission)
    }

    private func isCopy(_ opened: Opened, of file: FollowedFile) -> Bool? {
        guard mayBeCopy(opened.found, of: file.position) else { return false }
        if let original = file.descriptor {
            let isCopy = FileStart.isCopy(opened.descriptor, size: opened.found.size, ofOpen: original)
            guard isCopy == false else { return isCopy }
            // The original may have been truncated since it was copied; otherwise a copy would not differ.
            guard !file.holdsStoredLines else { return false }
        }
        let isShorter = copies.contains(opened.found.key) && isShorterCopy(opened, of: file.position)
        return isShorter ? true : isCopy(opened, of: file.position)
    }

    private func isShorterCopy(_ opened: Opened, of position: FilePosition) -> Bool {
        mayBeCopy(opened.found, of: position) && isCopy(opened, of: position) == nil
    }

    private func isCopy(_ opened: Opened, of position: FilePosition) -> Bool? {
        guard mayBeCopy(opened.found, of: position) else { return false }
        return FileStart.isCopy(opened.descriptor, size: opened.found.size, of: position)
    }

    /// Whether a file has a name that a copy would have. Others may begin with the same lines.
    private func mayBeCopy(_ found: FoundFile, of position: FilePosition) -> Bool {
        found.base == position.path && found.path != position.path
    }

    /// Forgets positions of files that the scan should have found.
    private func forgetGone(_ pattern: FilePattern, _ scan: PatternScan, in admission: inout FileAdmission) {
        guard scan.isStable else { return }
        let known = Set(files.map(\.position.id))
        for stored in admission.takeGone(of: flow.stream, pattern) where !known.contains(stored.id) {
            // Another process may read it, under another name.
            guard (try? claims.claim(stored.id)) == true else { continue }
            guard scan.isGone(stored.path, from: stored.directoryDevice) else {
                claims.release(stored.id)
                log.tellUnreachable(stored)
                continue
            }
            claims.release(stored.id)
            admission.changes.forgotten.append(stored.id)
            orphans.append(Orphan(position: stored, isTruncated: false))
        }
    }
}
