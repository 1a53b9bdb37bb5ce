import CRecorderProcess
import Glibc

/// What a file is, whatever its name: the inode on its device, and when it was created, since an inode is used again.
struct FileKey: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}

/// A file that a scan found.
struct FoundFile: Sendable {
    let path: String
    /// Its name before it was rotated, with its directory.
    let base: String
    fileprivate(set) var relation: FilePattern.Relation
    let key: FileKey
    /// The device of its directory.
    let directoryDevice: UInt64
    let size: Int
    /// When it was changed last, in nanoseconds since 1970.
    let changed: Int64
    let isLink: Bool

    /// Whether it was changed lately, so that it may still grow.
    var isRecent: Bool { Self.now - changed < 5_000_000_000 }

    /// In nanoseconds since 1970.
    static var now: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return now.nanoseconds
    }
}

extension timespec {
    fileprivate var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}

/// One scan of the directories of a pattern.
struct PatternScan {
    private(set) var files: [FoundFile] = []
    /// The directories to be watched.
    private(set) var directories: Set<String> = []
    /// The directories that were read, and their devices.
    private var devices: [String: UInt64] = [:]
    /// Whether a directory is missing or cannot be read: it is looked for again after a while.
    private(set) var isIncomplete = false
    /// A moment before it began, in nanoseconds since 1970. A file that is created later has a later time of birth, although that is
    /// the last tick of the kernel's clock.
    let start = FoundFile.now - Self.clockTick
    /// Whether no name changed meanwhile. A file that is renamed while its directory is read may be found under neither name.
    private(set) var isStable = true
    /// What cannot be followed, by path.
    private(set) var problems: [String: String] = [:]
    /// Links to nothing, names that cannot be looked up now, and directories that cannot be read: files may be there again later.
    private var outOfReach: Set<String> = []
    private let pattern: FilePattern

    /// The changes of a directory's names in this time may have the same timestamp.
    private static let clockTick: Int64 = 10_000_000
    private static let mostAttempts = 5

    /// Scans, again if names change meanwhile.
    init(_ pattern: FilePattern) {
        self.init(once: pattern)
        var attempts = 1
        while !isStable, attempts < Self.mostAttempts {
            usleep(UInt32(Self.clockTick / 1_000))
            self.init(once: pattern)
            attempts += 1
        }
    }

    private init(once pattern: FilePattern) {
        self.pattern = pattern
        let (fitting, parents) = pattern.existingDirectories()
        directories = Set(parents)
        isIncomplete = fitting.isEmpty
        for parent in parents where unsafe access(parent, R_OK | X_OK) != 0 {
            setUnreadable(directory: parent, because: errno)
        }
        for directory in fitting {
            scan(directory, namesFrom: pattern.fixedStart) { name in
                pattern.relation(of: name).map { ($0.relation, "\(directory)/\($0.base)") }
            }
        }
        let paths = Set(files.lazy.map(\.path))
        for (index, file) in files.enumerated() where file.relation == .matches && file.path != file.base {
            if paths.contains(file.base) { files[index].relation = .matchesRotated }
        }
        // The lines of rotated files are older.
        files.sort { ($0.changed, $0.path) < ($1.changed, $1.path) }
    }

    /// Whether there may be files that it could not look at.
    var hasUnread: Bool { !outOfReach.isEmpty }

    /// Whether a file that was not found is gone, and not only out of reach: its directory was read, or was removed, and is on
    /// the same device as before. A file system that is not mounted has all its files when it is mounted again.
    func isGone(_ path: String, from device: UInt64) -> Bool {
        if outOfReach.contains(path) { return false }
        var directory = Self.parent(of: path)
        if let listed = devices[directory] { return listed == device }
        var status = stat()
        var isRemoved = false
        while unsafe stat(directory, &status) != 0 {
            guard errno == ENOENT || errno == ENOTDIR, directory != "/" else { return false }
            directory = Self.parent(of: directory)
            isRemoved = true
        }
        return isRemoved && UInt64(status.st_dev) == device
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Adds the files of a directory; `relation` gives how a name belongs to the pattern, and the path before a rotation. It is
    /// asked about names that begin with `start`: most names of a directory are other flows'.
    private mutating func scan(
        _ directory: String,
        namesFrom start: String = "",
        relation: (String) -> (relation: FilePattern.Relation, base: String)?
    ) {
        let before = Self.status(of: directory)
        defer {
            let changed = before.changed
            let isUnchanged = changed == Self.status(of: directory).changed
            if !isUnchanged || abs(FoundFile.now - changed) < Self.clockTick { isStable = false }
        }
        guard
            let names = Self.names(
                in: directory,
                from: start,
                invalid: { problems["\(directory)/\($0)"] = "its name is not UTF-8" }
            )
        else {
            let number = errno
            // A name that fits a directory's wildcards may be that of a file.
            isIncomplete = isIncomplete || number != ENOTDIR || !pattern.hasWildDirectories
            setUnreadable(directory: directory, because: number)
            return
        }
        directories.insert(directory)
        devices[directory] = before.device
        for name in names {
            guard let (relation, base) = relation(name) else { continue }
            add(directory == "/" ? "/\(name)" : "\(directory)/\(name)", relation, base: base)
        }
    }

    private mutating func add(_ path: String, _ relation: FilePattern.Relation, base: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            let number = errno
            guard number != ENOENT else {
                isStable = false
                return
            }
            problems[path] = Files.message(of: number)
            return setOutOfReach(path)
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if isLink, unsafe stat(path, &status) != 0 {
            // As if the file system of its target were not mounted.
            return setOutOfReach(path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            guard relation == .matches, status.st_mode & S_IFMT != S_IFDIR || !pattern.hasWildcards else { return }
            problems[path] = Self.refusal(of: status)
            return
        }
        guard relation != .compressed else {
            if !pattern.hasWildcards { problems[path] = Self.compressed }
            return
        }
        let changed = status.st_mtim.nanoseconds
        files.append(
            FoundFile(
                path: path,
                base: base,
                relation: relation,
                key: FileKey(status),
                directoryDevice: devices[Self.parent(of: path)] ?? 0,
                size: Int(status.st_size),
                changed: changed,
                isLink: isLink
            )
        )
        if isLink, relation == .matches { scanTarget(of: path, base: base) }
    }

    private mutating func setUnreadable(directory: String, because number: Int32) {
        // Files that appear in a directory that is missing are new.
        guard number != ENOENT, number != ENOTDIR else { return }
        problems[directory] = Files.message(of: number)
        setOutOfReach(directory)
    }

    private mutating func setOutOfReach(_ path: String) {
        outOfReach.insert(path)
        isIncomplete = true
    }

    /// The files that were rotated away at the end of a link, as container runtimes do.
    private mutating func scanTarget(of link: String, base: String) {
        guard let resolved = unsafe realpath(link, nil) else { return }
        defer { unsafe free(resolved) }
        let target = unsafe String(cString: resolved)
        guard let slash = target.lastIndex(of: "/") else { return }
        let (directory, name) = (String(target[..<slash]), String(target[target.index(after: slash)...]))
        guard devices[directory] == nil else { return }
        scan(directory) { other in
            other != name && FilePattern.relation(of: other, to: name) == .rotated ? (.rotated, base) : nil
        }
    }

    /// Why something is not followed.
    private static func refusal(of status: stat) -> String {
        let kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: "a directory; give the files in it, as in DIR/*.log"
            case S_IFIFO: "a FIFO; `\(Program.name) save STREAM --file` reads it"
            case S_IFSOCK: "a socket"
            default: "a device; `\(Program.name) save STREAM --file` reads it"
            }
        return "it is \(kind)"
    }

    private static let compressed = "it is compressed; `zcat FILE | \(Program.name) save STREAM` saves its lines"

    /// When a name in a directory was changed last, in nanoseconds since 1970, and the directory's device.
    private static func status(of directory: String) -> (changed: Int64, device: UInt64) {
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { return (0, 0) }
        return (status.st_mtim.nanoseconds, UInt64(status.st_dev))
    }

    /// The names that begin with `start`. nil, with `errno` set, if the directory cannot be read to its end. `invalid` gets names that
    /// are no text.
    private static func names(in directory: String, from start: String, invalid: (String) -> Void) -> [String]? {
        guard let stream = unsafe opendir(directory) else { return nil }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            unsafe withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self, capacity: 256) {
                    guard unsafe strncmp($0, start, start.utf8.count) == 0 else { return }
                    if let name = unsafe String(validatingCString: $0) {
                        if name != ".", name != ".." { names.append(name) }
                    } else {
                        invalid(unsafe String(cString: $0))
                    }
                }
            }
            errno = 0
        }
        return errno == 0 ? names : nil
    }
}

/// When an open file was created, in nanoseconds since 1970; 0 where the file system does not say.
func birthTime(of descriptor: Int32) -> Int64 {
    let emptyPath: Int32 = 0x1000
    let birth: UInt32 = 0x800
    var status = statx()
    guard unsafe statx(descriptor, "", emptyPath, birth, &status) == 0, status.stx_mask & birth != 0 else { return 0 }
    return Int64(status.stx_btime.tv_sec) * 1_000_000_000 + Int64(status.stx_btime.tv_nsec)
}
