import RecorderHTTP
import RecorderStore

/// Files that were compressed after a rotation.
extension FlowFollower {
    /// What a compressed file has that appeared after its pattern was followed for the first time. The content of a file that is gone is
    /// read on where that was read to; one that was never followed is read from its start.
    func comparisonOfCompressed(_ file: FollowedFile, _ open: OpenFile, facts: FileFacts) -> FileState.Comparison {
        if facts.names == 0 { return .nothing }
        // It is being written; and its original may be known only once some of it is stored.
        guard !facts.isRecent(at: system.time), !files.contains(where: { isUnknown($0, beside: file) }),
            let positions = try? store.filePositions(of: flow.stream, except: [])
        else { return .undecided }
        guard let length = GzipFile(open).length() else {
            guard system.time - facts.changed > Self.writingTime else { return .undecided }
            observer.tell(.notFollowed(file.path, .damaged))
            file.compared = (0, file.path)
            return .copy
        }
        let stored = positions.positions.filter {
            !$0.isPatternMark && $0.id != file.position.id && base(of: $0).utf8.elementsEqual(file.base.utf8)
        }
        for position in (gone.truncated + stored).sorted(by: { $0.offset > $1.offset }) where position.offset > 0 {
            guard position.offset <= length, open.holdsCompressed(upTo: position) else { continue }
            let isTruncated = gone.truncated.contains(position)
            guard position.isGone || isTruncated else {
                // Its original exists, or this process does not know yet that it is gone.
                file.compared = (length, position.path)
                return position.offset == length ? .copy : .undecided
            }
            resume(file, at: position, isTruncated: isTruncated, length: length)
            return .other
        }
        if let position = gone.truncated.last(where: { $0.offset > length && open.holdsCompressed(headOf: $0) }) {
            file.compared = (length, position.path)
            return .copy
        }
        // Of those that nothing was read of, it may be any.
        let unread = gone.untold.map(\.position).filter {
            $0.offset == 0 && base(of: $0).utf8.elementsEqual(file.base.utf8)
        }
        for position in unread { gone.found(position, isTruncated: false) }
        if !unread.isEmpty { needsScan = true }
        observer.tell(.reading(file.path, .rotated(base: file.base)))
        return .other
    }

    /// How long nothing was written to a compressed file that is taken for damaged.
    private static let writingTime: Int64 = 60_000_000_000

    private func isUnknown(_ other: FollowedFile, beside file: FollowedFile) -> Bool {
        !other.isCompressed && other.state.mayGiveWay && other.storedPosition.offset == 0
            && other.base.utf8.elementsEqual(file.base.utf8)
    }

    /// Begins where the original was read to.
    private func resume(_ file: FollowedFile, at original: FilePosition, isTruncated: Bool, length: Int) {
        gone.found(original, isTruncated: isTruncated)
        if isTruncated {
            observer.tell(.incomplete(.copied(file.path, of: Orphan(position: original, isTruncated: true))))
        } else if original.offset < length {
            observer.tell(.reading(file.path, .compressed(original)))
        }
        var position = file.position
        (position.offset, position.sum) = (original.offset, original.sum)
        (position.head, position.tail) = (original.head, original.tail)
        begin(file, at: position)
        needsScan = true
    }

    // MARK: - what is missing

    /// Says what is missing, unless a compressed file may still turn out to have it. Of a file that was truncated at once: the store has
    /// another position of it by now, and a copy lacks what was written before the truncation.
    func tellLosses() {
        let undecided = Set(files.lazy.filter { $0.isCompressed && $0.state.phase == .undecided }.map(\.base))
        let missing = gone.untold.filter { $0.isTruncated || !undecided.contains(base(of: $0.position)) }
        gone.untold.removeAll { $0.isTruncated || !undecided.contains(base(of: $0.position)) }
        for orphan in missing {
            if let loss = orphan.loss { observer.tell(.incomplete(loss)) }
            guard !orphan.isTruncated else { continue }
            var told = orphan.position
            (told.isGone, told.isFinished) = (true, true)
            resets.append(told)
        }
        incompleteFiles += missing.count
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

/// Positions of files that are gone or were truncated: a compressed file may have their content.
struct GonePositions {
    /// Those with bytes that were not read, until no compressed file can turn out to have them.
    var untold: [Orphan] = []
    /// Those of files that were truncated, of which the store has later positions.
    private(set) var truncated: [FilePosition] = []
    /// The ids of those in the store, by pattern, the newest last.
    private var ids: [String: [Int64]] = [:]
    /// The ids of those that are not needed any more, until the store has forgotten them.
    var forgotten: [Int64] = []

    /// So many of a pattern are kept.
    private static let most = 64

    init() {}

    init(stored positions: [FilePosition]) {
        ids = Dictionary(grouping: positions, by: \.pattern).mapValues { $0.map(\.id) }
        untold = positions.filter { !$0.isFinished }.map { Orphan(position: $0, isTruncated: false) }
    }

    /// The position of a file that is gone as it is stored.
    mutating func add(_ position: FilePosition) -> FilePosition {
        ids[position.pattern, default: []].append(position.id)
        var position = position
        position.isGone = true
        return position
    }

    /// Adds those of which no copy was found.
    mutating func add(_ orphans: [Orphan]) {
        untold += orphans.filter { $0.loss != nil }
        truncated = (truncated + orphans.filter(\.isTruncated).map(\.position)).suffix(Self.most)
    }

    /// A compressed file has the content of one.
    mutating func found(_ position: FilePosition, isTruncated: Bool) {
        if isTruncated { truncated.removeAll { $0 == position } } else { forgotten.append(position.id) }
        untold.removeAll { $0.position.id == position.id && $0.position.offset == position.offset }
    }

    /// The ids of those that are too old.
    mutating func takeOldest(except followed: [FollowedFile]) -> [Int64] {
        var oldest: [Int64] = []
        for (pattern, kept) in ids where kept.count > Self.most {
            oldest += kept.dropLast(Self.most)
            ids[pattern] = kept.suffix(Self.most)
        }
        // A file may be there again, or have the id of one that is gone.
        return oldest.isEmpty ? [] : Array(Set(oldest).subtracting(followed.map(\.position.id)))
    }
}
