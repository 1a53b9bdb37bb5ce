import LineRecords
import RecorderHTTP
import RecorderStore

/// Files that were compressed after a rotation.
extension FlowFollower {
    /// What a compressed file has that appeared after its pattern was followed for the first time. The content of a file that is
    /// gone is read on where that was read to; one that was never followed is read from its start.
    func comparisonOfCompressed(_ file: FollowedFile, _ open: OpenFile, facts: FileFacts) -> FileState.Comparison {
        if facts.names == 0 { return .nothing }
        if let last = file.undecided, last.size == facts.size, last.changed == facts.changed,
            files.contains(where: { $0.storedPosition == last.original })
        {
            return .undecided
        }
        // It is being written; and its original may be known only once some of it is stored.
        guard !facts.isRecent(at: system.time), !files.contains(where: { isUnknown($0, beside: file) }),
            let positions = try? store.filePositions(of: flow.stream, except: [])
        else { return .undecided }
        let content = GzipFile(open)
        guard let length = content.length() else {
            guard open.error == 0 else { return .failed }
            guard system.time - facts.changed > Self.writingTime else { return .undecided }
            observer.tell(.notFollowed(file.path, .damaged))
            file.compared = (0, file.path, 0)
            return .copy
        }
        let stored = positions.positions.filter {
            !$0.isPatternMark && $0.id != file.position.id && base(of: $0).utf8.elementsEqual(file.base.utf8)
        }
        for position in (gone.truncated + stored).sorted(by: { $0.offset > $1.offset }) where position.offset > 0 {
            guard position.offset <= length, content.holds(upTo: position) else { continue }
            let isTruncated = gone.truncated.contains(position)
            // Any file may begin with a part of one line.
            let hasLine = !position.isGone || content.hasLine(before: position.offset, flow.rules.delimiter)
            guard hasLine || position.offset == length else { continue }
            // A better one may be it, and could not be compared.
            guard open.error == 0 else { return .failed }
            guard position.isGone || isTruncated else {
                // Its original exists, or this process does not know yet that it is gone.
                file.compared = (length, position.path, position.id)
                if position.offset == length { return .copy }
                // Another process may read it, or more of it may be stored by now.
                let original = files.first { $0.position.id == position.id }?.storedPosition
                let isSame = original?.offset == position.offset
                file.undecided = isSame ? original.map { (facts.size, facts.changed, $0) } : nil
                return .undecided
            }
            resume(file, after: position, length: length)
            return .other
        }
        if let position = gone.truncated.last(where: { $0.offset > length && content.holds(headOf: $0) }) {
            file.compared = (length, position.path, position.id)
            return .copy
        }
        // One that was made of a log while that was read, and written on.
        for original in files where !original.isCompressed && original.storedPosition.offset > length {
            guard original.base.utf8.elementsEqual(file.base.utf8) else { continue }
            guard let other = openedFile(original) else {
                if system.facts(of: original.path, followsLink: true)?.key == original.key { return .undecided }
                continue
            }
            if content.countEqual(to: other, in: 0..<length) == length {
                file.compared = (length, original.path, original.position.id)
                return .copy
            }
            guard other.error == 0 else { return .undecided }
        }
        guard open.error == 0 else { return .failed }
        // Of those that nothing was read of, it may be any.
        let unread = gone.untold.filter { mayHaveBecome(file, $0) }
        for position in unread { gone.forget(position) }
        if !unread.isEmpty { needsScan = true }
        observer.tell(.reading(file.path, .rotated(base: file.base)))
        return .other
    }

    /// How long nothing was written to a compressed file that is taken for damaged.
    private static let writingTime: Int64 = 60_000_000_000

    /// Whether a file that nothing was read of may be a compressed one by now: its name was the plain one, or the same, or both
    /// have numbers after the plain one, which count up.
    private func mayHaveBecome(_ file: FollowedFile, _ unread: FilePosition) -> Bool {
        guard unread.offset == 0, base(of: unread).utf8.elementsEqual(file.base.utf8) else { return false }
        let (old, new, start) = (unread.path.utf8, file.path.utf8, "\(file.base).".utf8)
        return old.elementsEqual(file.base.utf8) || new.elementsEqual("\(unread.path).gz".utf8)
            || (old.starts(with: start) && new.starts(with: start))
    }

    private func isUnknown(_ other: FollowedFile, beside file: FollowedFile) -> Bool {
        !other.isCompressed && (other.state.mayGiveWay || other.state.phase == .undecided)
            && other.storedPosition.offset == 0 && other.base.utf8.elementsEqual(file.base.utf8)
    }

    /// Begins where the original was read to.
    private func resume(_ file: FollowedFile, after original: FilePosition, length: Int) {
        if original.isGone {
            gone.forget(original)
            if original.offset < length { observer.tell(.reading(file.path, .compressed(original))) }
        } else {
            gone.found(original)
            observer.tell(.incomplete(.copied(file.path, of: original)))
        }
        begin(file, after: original)
        needsScan = true
    }

    // MARK: - what is missing

    /// Says what is missing of files that were truncated: a copy lacks what was written before that. Before the store has their new
    /// positions, or the next start would not know.
    func tellTruncations() {
        let missing = gone.takeUntold { !$0.isGone }
        for position in missing { observer.tell(.incomplete(.truncated(position))) }
        incompleteFiles += missing.count
    }

    /// Says what is missing of files that are gone, unless a compressed file may still turn out to have it.
    func tellLosses() {
        let undecided = Set(files.lazy.filter { $0.isCompressed && $0.state.phase == .undecided }.map(\.base))
        let missing = gone.takeUntold { $0.isGone && !undecided.contains(base(of: $0)) }
        for position in missing {
            observer.tell(.incomplete(.gone(position)))
            var told = position
            told.isFinished = true
            if gone.isKept(position) { resets.append(told) }
        }
        incompleteFiles += missing.count
        gone.forgetOldest()
    }

    /// The path that the file of a position had before it was rotated.
    func base(of position: FilePosition) -> String {
        patterns.first { position.isOf($0) }?.base(ofPath: position.path) ?? position.path
    }

    /// The compressed files of a scan that may be rotated ones of files that were followed.
    func rotated(_ scan: PatternScan) -> [FoundFile] {
        guard scan.pattern.hasWildcards else { return scan.compressed }
        let known = Set(files.map(\.base) + scan.files.map(\.base))
        return scan.compressed.filter { known.contains($0.base) }
    }
}

/// Positions of files that are gone, or were truncated: a copy or a compressed file may have their content.
struct GonePositions {
    /// Those with bytes that were not read, until no compressed file can turn out to have them.
    private(set) var untold: [FilePosition] = []
    /// Those of files that were truncated, of which the store has later positions.
    private(set) var truncated: [FilePosition] = []
    /// Those of files that are gone, by pattern, the newest last. The store has them, too.
    private var stored: [String: [FilePosition]] = [:]
    /// The ids of those that are not needed any more, until the store has forgotten them.
    var forgotten: [Int64] = []

    /// So many of a pattern are kept.
    private static let most = 64

    init() {}

    init(stored positions: [FilePosition]) {
        for position in positions { add(position) }
    }

    /// What a copy may have. It may be found long after its original was: in a directory that a link leads to again.
    var originals: [FilePosition] { truncated + stored.values.joined() }

    /// Returns the position of a file that is gone as it is stored.
    @discardableResult
    mutating func add(_ position: FilePosition) -> FilePosition {
        remove(position)
        let position = position.gone
        stored[position.pattern, default: []].append(position)
        if !position.isFinished { untold.append(position) }
        return position
    }

    mutating func addTruncated(_ position: FilePosition) {
        var position = position
        // It was, before a link led to it again.
        position.isGone = false
        untold.append(position)
        truncated = (truncated + [position]).suffix(Self.most)
    }

    /// A file is there again.
    mutating func remove(_ position: FilePosition) {
        let index = stored[position.pattern]?.firstIndex { $0.inode == position.inode && $0.id == position.id }
        guard let index else { return }
        stored[position.pattern]?.remove(at: index)
        untold.removeAll { $0.id == position.id && $0.isGone }
    }

    /// Whether the store has it. Of a file that was truncated, it has a later one.
    func isKept(_ position: FilePosition) -> Bool {
        position.isGone && stored[position.pattern]?.contains { $0.id == position.id } == true
    }

    /// A copy has the content of one.
    mutating func found(_ position: FilePosition) {
        truncated.removeAll { $0 == position }
        untold.removeAll { $0.id == position.id && $0.offset == position.offset }
    }

    /// A compressed file has the content of one that is gone.
    mutating func forget(_ position: FilePosition) {
        remove(position)
        forgotten.append(position.id)
    }

    /// Those that are to be told.
    mutating func takeUntold(where isTold: (FilePosition) -> Bool) -> [FilePosition] {
        let told = untold.filter(isTold)
        untold.removeAll(where: isTold)
        return told
    }

    /// Forgets the oldest, but none that is still to be told: the next start would not know of it.
    mutating func forgetOldest() {
        let untold = Set(untold.map(\.id))
        for (pattern, kept) in stored where kept.count > Self.most {
            let oldest = Set(kept.lazy.map(\.id).filter { !untold.contains($0) }.prefix(kept.count - Self.most))
            stored[pattern]?.removeAll { oldest.contains($0.id) }
            forgotten += oldest
        }
    }
}

extension FilePosition {
    /// The position of a file that is gone.
    var gone: FilePosition {
        var position = self
        position.isGone = true
        return position
    }
}
