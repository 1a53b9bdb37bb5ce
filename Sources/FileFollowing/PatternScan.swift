import Glibc
import RecorderStore

/// A file that a scan found.
package struct FoundFile: Sendable {
    package let path: String
    /// Its name before it was rotated, with its directory.
    package let base: String
    package internal(set) var relation: FilePattern.Relation
    /// The device of its directory.
    package let directoryDevice: UInt64
    package internal(set) var facts: FileFacts
    package let isLink: Bool

    package var key: FileKey { facts.key }
    func with(_ facts: FileFacts) -> FoundFile {
        var file = self
        file.facts = facts
        return file
    }

    /// Whether it has another name than before a rotation.
    var isRenamed: Bool { !path.utf8.elementsEqual(base.utf8) }
}

/// One scan of the directories of a pattern.
package struct PatternScan {
    package private(set) var files: [FoundFile] = []
    /// Files that were compressed, in a format that can be read.
    package private(set) var compressed: [FoundFile] = []
    /// Files that were there when it began, and not any more when it began again.
    private(set) var passed: [FoundFile] = []
    /// The directories to be watched.
    package private(set) var directories: Set<String> = []
    /// The directories that were read, and their devices.
    private var devices: [String: UInt64] = [:]
    /// Whether a directory is missing or cannot be read: it is looked for again after a while.
    package private(set) var isIncomplete = false
    /// A moment before it began, in nanoseconds since 1970. A file that is created later has a later time of birth, although that
    /// is the last tick of the kernel's clock.
    package let start: Int64
    /// Whether no name changed meanwhile. A file that is renamed while its directory is read may be found under neither name.
    package private(set) var isStable = true
    /// Why something cannot be followed.
    package enum Problem: Sendable, Hashable {
        case directory, fifo, socket, device
        /// A path names a compressed file.
        case compressed
        /// A store's database, or a file beside it.
        case store
        /// This process writes it.
        case own
        /// The name of a file is no text.
        case notUTF8
        /// The number of an error.
        case unreachable(Int32)
    }

    /// What cannot be followed, by path.
    package private(set) var problems: [String: Problem] = [:]
    /// Links to nothing, names that cannot be looked up now, and directories that cannot be read: files may be there again later.
    private var outOfReach: Set<String> = []
    package let pattern: FilePattern
    private let system: any FileSystem

    /// The changes of a directory's names in this time may have the same timestamp.
    private static let clockTick: Int64 = 10_000_000
    private static let mostAttempts = 5

    /// Scans, again if names change meanwhile.
    package init(_ pattern: FilePattern, in system: any FileSystem) {
        self.init(once: pattern, in: system)
        var attempts = 1
        while !isStable, attempts < Self.mostAttempts {
            _ = system.wait(for: [], atMost: .nanoseconds(Self.clockTick))
            let earlier = passed + files
            self.init(once: pattern, in: system)
            let keys = Set(files.map(\.key))
            passed = earlier.filter { !keys.contains($0.key) }
            attempts += 1
        }
    }

    private init(once pattern: FilePattern, in system: any FileSystem) {
        (self.pattern, self.system) = (pattern, system)
        start = system.time - Self.clockTick
        let (fitting, parents, unreadable) = pattern.existingDirectories(in: system)
        directories = Set(parents)
        isIncomplete = fitting.isEmpty
        for (parent, number) in unreadable { setUnreadable(directory: parent, because: number) }
        for directory in fitting {
            scan(directory, namesFrom: pattern.fixedStart) { name in
                pattern.relation(of: name).map { ($0.relation, "\(directory)/\($0.base)") }
            }
        }
        let paths = Set(files.lazy.map(\.path))
        for (index, file) in files.enumerated() where file.relation == .matches && file.path != file.base {
            if paths.contains(file.base) { files[index].relation = .matchesRotated }
        }
        // The lines of rotated files are older. A file that has the name of the pattern is that, whatever other names it has.
        files.sort { ($0.facts.changed, $0.path) < ($1.facts.changed, $1.path) }
        let named = Set(files.lazy.filter { $0.relation == .matches }.map(\.key))
        files.removeAll { $0.relation == .rotated && named.contains($0.key) }
    }

    /// Whether there may be files that it could not look at.
    package var hasUnread: Bool { !outOfReach.isEmpty }

    /// Whether a file that was not found is gone, and not only out of reach: its directory was read, or was removed, and is on
    /// the same device as before. A file system that is not mounted has all its files when it is mounted again.
    package func isGone(_ path: String, from device: UInt64) -> Bool {
        if outOfReach.contains(path) { return false }
        var directory = Self.parent(of: path)
        if let listed = devices[directory] { return listed == device }
        var isRemoved = false
        while true {
            if let facts = system.facts(of: directory, followsLink: true) {
                return isRemoved && facts.key.device == device
            }
            guard errno == ENOENT || errno == ENOTDIR, directory != "/" else { return false }
            directory = Self.parent(of: directory)
            isRemoved = true
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func name(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    }

    /// Adds the files of a directory; `relation` gives how a name belongs to the pattern, and the path before a rotation. It is
    /// asked about names that begin with `start`: most names of a directory are other flows'.
    private mutating func scan(
        _ directory: String,
        namesFrom start: String = "",
        relation: (String) -> (relation: FilePattern.Relation, base: String)?
    ) {
        let before = system.facts(of: directory, followsLink: true)
        defer {
            let changed = before?.changed ?? 0
            let isUnchanged = changed == system.facts(of: directory, followsLink: true)?.changed ?? 0
            if !isUnchanged || abs(system.time - changed) < Self.clockTick { isStable = false }
        }
        guard let names = system.names(in: directory, from: start) else {
            let number = errno
            // A name that fits a directory's wildcards may be that of a file.
            isIncomplete = isIncomplete || number != ENOTDIR || !pattern.hasWildDirectories
            setUnreadable(directory: directory, because: number)
            return
        }
        directories.insert(directory)
        devices[directory] = before?.key.device ?? 0
        addLinks(on: directory)
        let prefix = directory == "/" ? "/" : "\(directory)/"
        for name in names {
            switch name {
            case .bytes(let text): problems["\(prefix)\(text)"] = .notUTF8
            case .text(let name):
                guard let (relation, base) = relation(name) else { continue }
                add("\(prefix)\(name)", relation, base: base)
            }
        }
    }

    private mutating func add(_ path: String, _ relation: FilePattern.Relation, base: String) {
        guard !pattern.excludes(path) else { return }
        // Never opened: to close it again would end SQLite's locks on it.
        let name = Self.name(of: path)
        guard !StoreLocation.isPart(name) else {
            if path.hasSuffix(".db") || !pattern.hasWildcards { problems[path] = .store }
            return
        }
        guard let own = system.facts(of: path, followsLink: false) else {
            let number = errno
            guard number != ENOENT else {
                isStable = false
                return
            }
            problems[path] = .unreachable(number)
            return setOutOfReach(path)
        }
        let isLink = own.kind == .link
        // As if the file system of its target were not mounted.
        guard let facts = isLink ? system.facts(of: path, followsLink: true) : own else { return setOutOfReach(path) }
        guard facts.kind == .file else {
            guard relation == .matches, facts.kind != .directory || !pattern.hasWildcards else { return }
            problems[path] = Self.problem(of: facts.kind)
            return
        }
        guard !pattern.own.contains(facts.key, named: name, in: system.resolved(Self.parent(of: path))) else {
            problems[path] = .own
            return
        }
        let file = FoundFile(
            path: path,
            base: base,
            relation: relation,
            directoryDevice: devices[Self.parent(of: path)] ?? 0,
            facts: facts,
            isLink: isLink
        )
        guard relation != .compressed else {
            if !pattern.hasWildcards, path.utf8.elementsEqual(pattern.text.utf8) {
                problems[path] = .compressed
            } else if path.hasSuffix(".gz") {
                compressed.append(file)
            }
            return
        }
        files.append(file)
        if isLink, relation == .matches { scanTarget(of: path, base: base) }
    }

    private mutating func setUnreadable(directory: String, because number: Int32) {
        // Files that appear in a directory that is missing are new.
        guard number != ENOENT, number != ENOTDIR else { return }
        problems[directory] = .unreachable(number)
        setOutOfReach(directory)
    }

    private mutating func setOutOfReach(_ path: String) {
        outOfReach.insert(path)
        isIncomplete = true
    }

    /// The files that were rotated away at the end of a link, as container runtimes do.
    private mutating func scanTarget(of link: String, base: String) {
        guard let target = system.resolved(link), let slash = target.lastIndex(of: "/") else { return }
        let (directory, name) = (String(target[..<slash]), String(target[target.index(after: slash)...]))
        guard devices[directory] == nil else { return }
        scan(directory) { other in
            other != name && FilePattern.relation(of: other, to: name) == .rotated ? (.rotated, base) : nil
        }
    }

    private static func problem(of kind: FileFacts.Kind) -> Problem {
        switch kind {
        case .directory: .directory
        case .fifo: .fifo
        case .socket: .socket
        case .file, .link, .device: .device
        }
    }

    /// Adds the directories of the links on the way to a directory: one of them may lead elsewhere next.
    private mutating func addLinks(on directory: String) {
        var (resolved, parts) = ("", directory.split(separator: "/").map(String.init)[...])
        var links = 0
        while let part = parts.popFirst() {
            let path = part == ".." ? Self.parent(of: resolved) : "\(resolved)/\(part)"
            guard part != ".", let target = system.target(of: path) else {
                if part != "." { resolved = path == "/" ? "" : path }
                continue
            }
            directories.insert(resolved.isEmpty ? "/" : resolved)
            links += 1
            // As many as the kernel follows.
            guard links <= 40 else { return }
            if target.hasPrefix("/") { resolved = "" }
            parts = target.split(separator: "/").map(String.init) + parts
        }
    }
}
