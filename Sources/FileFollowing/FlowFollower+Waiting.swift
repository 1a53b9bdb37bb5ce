import RecorderStore

/// Files that wait until others are closed, and those that are gone by then.
extension FlowFollower {
    /// Opens files that wait, as the last scan found them: no name changed since.
    func openWaiting(noticing: () -> Void) throws(RecorderError) {
        // What is known of a file below a copy may be old.
        guard waiting.admission.below.isEmpty else { return try scan(noticing: noticing) }
        openClosed()
        var admission = waiting.admission
        admitWaiting(into: &admission)
        // What was found is old by then.
        if waiting.count == 0 { needsScan = true }
        try store(&admission)
    }

    /// Opens closed files that were written to, those first that were not read for longest. New ones get a half of the room.
    func openClosed() {
        let count = max(openFiles.room - waiting.newCount, (openFiles.room + 1) / 2)
        let closed = waiting.closed.sorted { $0.file.opened < $1.file.opened }
        waiting.closed = Array(closed.dropFirst(count))
        for (file, found) in closed.prefix(count) { open(file, as: found) }
    }

    /// Takes up the new files for which there is room.
    func admitWaiting(into admission: inout FileAdmission) {
        for (scan, files) in waiting.takeNew(openFiles.room) { admit(files, in: scan, into: &admission) }
    }

    /// Opens a closed file that was written to.
    private func open(_ file: FollowedFile, as found: FoundFile?) {
        if let found, found.relation == .rotated { observer.tell(.reading(found.path, .rotated(base: found.base))) }
        let open = open(file)
        guard open != nil || found != nil else {
            // No scan has seen it since it was closed; the next one says what became of it.
            needsScan = true
            return
        }
        if let open { file.open(open, in: flow) }
        for action in file.handle(.opened(open != nil)) {
            switch action {
            // Another file has its inode now, or it is gone; the next scan finds that.
            case .drop:
                drop(file)
                if let found, let pattern = patterns.first(where: file.position.isOf) {
                    missed.append((pattern, found))
                }
            case .scan: needsScan = true
            default: preconditionFailure("an opened file has the action \(action)")
            }
        }
    }

    /// A closed file, opened; nil if its path does not lead to it any more.
    private func open(_ file: FollowedFile) -> OpenFile? {
        guard let open = openFiles.open(file.path, followsLink: true), let facts = open.facts else { return nil }
        if facts.key == file.key { return open }
        if let pattern = patterns.first(where: file.position.isOf) { glimpse(file.asFound(facts), of: pattern) }
        return nil
    }

    /// The file, opened for a moment if it is closed.
    func openedFile(_ file: FollowedFile) -> OpenFile? { file.file ?? open(file) }

    /// Whether a closed file of which another one may be a copy is not at its path any more. A scan says what became of it.
    func mayBeRenamed(originalOf file: FollowedFile) -> Bool {
        files.contains { original in
            original.file == nil && !original.isCompressed && original.base.utf8.elementsEqual(file.base.utf8)
                && system.facts(of: original.path, followsLink: true)?.key != original.key
        }
    }

    /// Notes what was opened in place of another file.
    func glimpse(_ found: FoundFile, of pattern: FilePattern) {
        if found.facts.kind == .file { glimpsed.append((pattern, found)) }
    }

    /// The files that were gone before a scan began again. Of those that are closed, whether they were written to is noted.
    func notePassed(_ scans: [PatternScan]) -> [(pattern: FilePattern, file: FoundFile)] {
        let passed = Dictionary(scans.flatMap(\.passed).map { ($0.key, $0) }) { $1 }
        for file in files where passed[file.key].map({ file.differs($0.facts) }) == true { file.noteWritten() }
        return scans.flatMap { scan in scan.passed.map { (scan.pattern, $0) } }
    }

    /// Notes files that were seen, and may be gone: not what may have been a copy, or what another process reads.
    func miss(_ seen: [(pattern: FilePattern, file: FoundFile)]) {
        guard !seen.isEmpty else { return }
        let followed = Set(files.map(\.key))
        for (pattern, file) in seen where file.relation == .matches && !followed.contains(file.key) {
            if let index = missed.firstIndex(where: { $0.file.key == file.key }) {
                if missed[index].file.facts.size < file.facts.size { missed[index].file.facts = file.facts }
            } else if claims.isFree(file.key) {
                missed.append((pattern, file))
            }
        }
    }

    /// Notes what is missing of files that are gone before it was their turn. Of one that was found, and is gone since, the next
    /// scan says that.
    func missGone(in scan: PatternScan, found: [FileKey: FoundFile], into admission: inout FileAdmission) {
        func isGone(_ pattern: FilePattern, _ file: FoundFile) -> Bool {
            pattern.bytes == scan.pattern.bytes && found[file.key] == nil
                && scan.isGone(file.path, from: file.directoryDevice)
        }
        for (pattern, file) in missed where isGone(pattern, file) {
            let position = position(of: file, pattern)
            if var stored = admission.take(position, isLayered: false) {
                // It may be that of another file, whose inode this one had.
                let isSame = stored.birth == position.birth || stored.birth == 0 || position.birth == 0
                // It may have got more since it was found.
                if isSame { stored.isFinished = stored.isFinished && stored.offset == file.facts.size }
                lose(stored, into: &admission)
                if isSame { continue }
            }
            if isWanted(file, of: pattern, at: position, in: admission) { lose(position, into: &admission) }
        }
        missed.removeAll { isGone($0.pattern, $0.file) }
    }

    /// Whether a file without a position would have been read.
    private func isWanted(
        _ file: FoundFile,
        of pattern: FilePattern,
        at position: FilePosition,
        in admission: FileAdmission
    ) -> Bool {
        guard file.facts.size > 0, file.relation != .compressed, !isTooOld(file.facts) else { return false }
        let mark = admission.mark(of: pattern, flow.stream)
        guard case .first = admission.origin(of: position, mark) else { return true }
        return flow.firstSight == .start && file.relation != .rotated
    }
}
