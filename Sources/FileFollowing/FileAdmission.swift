import RecorderStore

/// What one scan adds: files, and changes of positions that are stored before any of them is read.
struct FileAdmission {
    var files: [FollowedFile] = []
    /// The paths of files that new ones may be copies of.
    var paths: Set<String> = []
    /// Files that are followed in a lower layer of a container, by the copies that are read instead once they are open.
    var below: [FileKey: FollowedFile] = [:]
    /// With those of an earlier scan that could not be stored.
    var changes: FilePositionChanges
    /// The patterns that are marked by these changes.
    var marks: Set<[UInt8]> = []
    /// Those of which files could not be looked at.
    var unread: Set<[UInt8]> = []
    /// The files that the scans of all patterns found: some may be with another process, or could not be opened now.
    private let found: Set<FileKey>
    private var foundInodes: [UInt64: [FileKey]] = [:]
    private let followedStream: String
    /// The stored positions of files, by inode: there may be many.
    private var positions: [UInt64: [FilePosition]] = [:]
    private var patternMarks: [FilePosition] = []
    /// Those of files that are gone.
    private(set) var gone: [FilePosition] = []
    private var isDamaged = false
    private var lostBefore: Int64?

    init(_ scans: [PatternScan] = [], stream: String = "", unstored changes: FilePositionChanges = .init()) {
        (self.changes, followedStream) = (changes, stream)
        found = Set(scans.lazy.flatMap { $0.files + $0.compressed }.map(\.key))
    }

    /// Reads the positions of one stream, or of all, once all found files are claimed: until then others may change those of their
    /// files. Not read are those of files that are followed already, and were found.
    mutating func readPositions(
        of stream: String?,
        in store: any FollowStore,
        except followed: [FollowedFile]
    ) throws(RecorderError) {
        foundInodes = Dictionary(grouping: found, by: \.inode)
        let known = Set(followed.filter { found.contains($0.key) }.map(\.position.id))
        let stored = try store.filePositions(of: stream, except: known)
        let changed = Set(changes.forgotten + changes.stored.map(\.id))
        let all = stored.positions.filter { !changed.contains($0.id) } + changes.stored
        patternMarks = all.filter(\.isPatternMark)
        gone = all.filter { $0.isGone && $0.stream == followedStream }
        positions = Dictionary(grouping: all.filter { !$0.isPatternMark && !$0.isGone }, by: \.inode)
        (isDamaged, lostBefore) = (!stored.damaged.isEmpty, stored.lostBefore)
        changes.forgotten += stored.damaged
    }

    /// What is known of a file without a position.
    enum Origin {
        /// It existed when its pattern was first followed.
        case first
        /// It appeared since.
        case later
        /// Its position may have been lost when the store was damaged.
        case positionLost
    }

    /// Where a file without a position comes from; `mark` is that of its pattern.
    func origin(of file: FilePosition, _ mark: FilePosition?) -> Origin {
        if isDamaged { return .positionLost }
        if let mark { return file.birth != 0 && file.birth < mark.birth ? .first : .later }
        // The pattern is new, or its mark was lost.
        guard let lostBefore else { return .first }
        return file.birth > lostBefore ? .later : .positionLost
    }

    /// The mark of a pattern; nil if its files are first looked for now, or the mark was lost.
    func mark(of pattern: FilePattern, _ stream: String) -> FilePosition? {
        patternMarks.first { $0.stream == stream && $0.isOf(pattern) }
    }

    /// The stored position of a file. The number of its device may have changed at a boot or as it was
    /// mounted again.
    mutating func take(_ new: FilePosition, isLayered: Bool) -> FilePosition? {
        let known = positions[new.inode, default: []].filter { $0.stream == new.stream }
        let found =
            known.first { $0.id == new.id } ?? known.first { $0.device == new.device }
            ?? known.first { position in
                guard position.birth == new.birth, !self.found.contains(position.key) else { return false }
                return new.birth != 0 || position.boot != new.boot || position.path.utf8.elementsEqual(new.path.utf8)
            }
        // Where a link led to another file for a while, a file that was gone is there again. One of a lower layer is in another
        // one.
        guard let found else {
            let gone = gone.filter { $0.device == new.device && $0.inode == new.inode && new.birth != 0 }
            return gone.first { $0.birth == new.birth } ?? (isLayered ? gone.max { $0.birth < $1.birth } : nil)
        }
        positions[new.inode]?.removeAll { $0.id == found.id }
        return found
    }

    /// Takes up the position of a file that is gone: another one of this scan may be its copy in a layer of a container.
    mutating func lose(_ position: FilePosition) {
        changes.stored.append(position)
        gone.append(position)
    }

    /// Files with a position first: others may be copies of what they held, which shows once they are open.
    func inOrder(_ files: ArraySlice<FoundFile>) -> ArraySlice<FoundFile> {
        func isKnown(_ key: FileKey) -> Bool {
            positions[key.inode, default: []].contains { $0.birth == key.birth || $0.birth == 0 || key.birth == 0 }
        }
        return files.filter { isKnown($0.key) } + files.filter { !isKnown($0.key) }
    }

    /// Whether the scans found its file, perhaps on a device that has another number now.
    private func isFound(_ position: FilePosition) -> Bool {
        foundInodes[position.inode, default: []].contains {
            $0.birth == position.birth || $0.birth == 0 || position.birth == 0
        }
    }

    /// The positions of a pattern that belong to no file that was found.
    mutating func takeGone(of stream: String, _ pattern: FilePattern) -> [FilePosition] {
        let lost = positions.values.joined().filter { $0.stream == stream && $0.isOf(pattern) && !isFound($0) }
        for position in lost { positions[position.inode]?.removeAll { $0.id == position.id } }
        return lost.sorted { $0.id < $1.id }
    }
}

/// What a scan found that waits until other files are closed. No name changes meanwhile: otherwise there is another scan.
struct WaitingFiles {
    /// Closed ones that were written to.
    var closed: [(file: FollowedFile, found: FoundFile?)] = []
    /// New ones, all of them claimed.
    var new: [(scan: PatternScan, files: ArraySlice<FoundFile>)] = []
    /// What is known of these.
    var admission = FileAdmission()

    var newCount: Int { new.reduce(0) { $0 + $1.files.count } }
    var count: Int { closed.count + newCount }

    /// Whether a new one has a name that a copy of a file would have.
    func hasCopy(of file: FollowedFile) -> Bool {
        let path = Array(file.position.path.utf8)
        return new.contains { $0.files.contains { $0.isRenamed && Array($0.base.utf8) == path } }
    }

    /// Takes the first new ones. A copy whose original waits has to wait, too: that may have been truncated.
    mutating func takeNew(_ count: Int) -> [(scan: PatternScan, files: ArraySlice<FoundFile>)] {
        let originals = Set(closed.map { Array($0.file.position.path.utf8) })
        var left = count
        var taken: [(scan: PatternScan, files: ArraySlice<FoundFile>)] = []
        for index in new.indices {
            var (scan, files) = new[index]
            // Compared with originals only if there are some: there may be many.
            let held = originals.isEmpty ? [] : files.filter { $0.isRenamed && originals.contains(Array($0.base.utf8)) }
            if !held.isEmpty {
                let keys = Set(held.map(\.key))
                files.removeAll { keys.contains($0.key) }
            }
            let first = files.prefix(left)
            left -= first.count
            taken.append((scan, first))
            new[index].files = files.dropFirst(first.count) + held
        }
        new.removeAll { $0.files.isEmpty }
        return taken
    }
}

extension FilePosition {
    var key: FileKey { FileKey(device: device, inode: inode, birth: birth) }

    /// Two patterns may be equal as text, and not be the same.
    func isOf(_ pattern: FilePattern) -> Bool { self.pattern.utf8.elementsEqual(pattern.text.utf8) }
}
