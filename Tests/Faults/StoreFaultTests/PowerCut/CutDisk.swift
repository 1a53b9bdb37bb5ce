import Foundation
import RecorderTestSupport

/// A disk that loses power: which of a log's events are certainly on it, and which may be.
///
/// Written sectors of 512 bytes are durable once a sync of their file that began later has ended; until then each is
/// kept or lost independently. A truncation is kept with everything before it, or lost with everything after it. A name
/// (new, renamed or removed) is durable once its directory was synced: the strict reading of POSIX, without the
/// additional guarantees of ext4 or XFS. What was written before a sync that failed is lost.
struct CutDisk {
    private final class File {
        enum Change {
            case write(offset: Int, bytes: [UInt8])
            case resize(Int)
        }

        var durable: [UInt8] = []
        var pending: [Change] = []
        var durableChanges = 0

        /// The number of all changes ever made.
        var changes: Int { durableChanges + pending.count }

        func makeDurable(_ upTo: Int) {
            guard upTo > durableChanges else { return }
            let count = upTo - durableChanges
            for change in pending.prefix(count) {
                switch change {
                case .write(let offset, let bytes): Self.put(bytes[...], at: offset, &durable)
                case .resize(let size): Self.resize(&durable, size)
                }
            }
            pending.removeFirst(count)
            durableChanges = upTo
        }

        /// What was written never gets to the disk.
        func forgetWrites() {
            let count = pending.count
            pending.removeAll { if case .write = $0 { true } else { false } }
            durableChanges += count - pending.count
        }

        static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, _ file: inout [UInt8]) {
            if file.count < offset + bytes.count { resize(&file, offset + bytes.count) }
            file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }

        static func resize(_ file: inout [UInt8], _ size: Int) {
            if size < file.count {
                file.removeLast(file.count - size)
            } else {
                file.append(contentsOf: repeatElement(0, count: size - file.count))
            }
        }
    }

    private enum Node {
        case file(File)
        case directory
    }

    /// A change of the names in one directory.
    private struct NameChange {
        let number: Int
        let directories: Set<String>
        let apply: (inout [String: Node]) -> Void
    }

    private var names: [String: Node] = [:]
    private var durableNames: [String: Node] = [:]
    private var pendingNames: [NameChange] = []
    private var nameChanges = 0
    private var open: [UInt32: (path: String, node: Node)] = [:]
    private var syncs: [UInt32: [(changes: Int, names: Int)]] = [:]

    private static let sector = 512

    /// A disk on which only `root` exists.
    init(root: String) {
        names[root] = .directory
        durableNames[root] = .directory
    }

    mutating func apply(_ event: PowerLog.Event) {
        switch event {
        case .opened(let file, let path, let isNew):
            if isNew { change(in: [path]) { [new = File()] in $0[path] = .file(new) } }
            if let node = names[path] { open[file] = (path, node) }
        case .wrote(let file, let offset, let bytes): change(file, .write(offset: offset, bytes: bytes))
        case .truncated(let file, let size): change(file, .resize(size))
        case .grew(let file, let size):
            if case .file(let grown)? = open[file]?.node, Self.size(grown) < size { change(file, .resize(size)) }
        case .syncBegan(let file):
            var changes = 0
            if case .file(let synced)? = open[file]?.node { changes = synced.changes }
            syncs[file, default: []].append((changes, nameChanges))
        case .syncEnded(let file): endSync(of: file)
        case .syncFailed(let file): if case .file(let failed)? = open[file]?.node { failed.forgetWrites() }
        case .made(let directory): change(in: [directory]) { $0[directory] = .directory }
        case .unlinked(let path): change(in: [path]) { $0[path] = nil }
        case .renamed(let from, let to):
            change(in: [from, to]) { names in
                guard let node = names[from] else { return }
                names[from] = nil
                names[to] = node
            }
        case .linked(let from, let to): change(in: [from, to]) { names in names[to] = names[from] }
        case .journaled: break
        }
    }

    private mutating func change(in paths: [String], _ apply: @escaping (inout [String: Node]) -> Void) {
        apply(&names)
        let directories = Set(paths.map { ($0 as NSString).deletingLastPathComponent })
        pendingNames.append(NameChange(number: nameChanges, directories: directories, apply: apply))
        nameChanges += 1
    }

    private func change(_ file: UInt32, _ change: File.Change) {
        if case .file(let changed)? = open[file]?.node { changed.pending.append(change) }
    }

    private static func size(_ file: File) -> Int {
        file.pending.reduce(file.durable.count) { size, change in
            switch change {
            case .write(let offset, let bytes): max(size, offset + bytes.count)
            case .resize(let size): size
            }
        }
    }

    private mutating func endSync(of file: UInt32) {
        guard let (path, node) = open[file], let began = syncs[file]?.first else { return }
        syncs[file]?.removeFirst()
        switch node {
        case .file(let synced): synced.makeDurable(began.changes)
        case .directory:
            let isDurable = { (change: NameChange) in change.number < began.names && change.directories.contains(path) }
            for change in pendingNames where isDurable(change) { change.apply(&durableNames) }
            pendingNames.removeAll(where: isDurable)
        }
    }

    // MARK: power cut

    /// Writes to `directory` what a power cut at this moment may leave of `root`.
    func write(to directory: String, root: String, _ random: inout SeededRandom) throws {
        var left = durableNames
        // Most file systems keep the order of name changes, but none has to.
        let kept = Int.random(in: 0...pendingNames.count, using: &random)
        let keepsOrder = Bool.random(using: &random)
        for (index, change) in pendingNames.enumerated() {
            if keepsOrder ? index < kept : Bool.random(using: &random) { change.apply(&left) }
        }
        let chances: [Double] = [0, 0.05, 0.3, 0.6, 1]
        let chance = chances[Int.random(in: chances.indices, using: &random)]
        var written: Set<String> = []
        for (path, node) in left.sorted(by: { $0.key < $1.key }) {
            let parent = (path as NSString).deletingLastPathComponent
            // The contents of a lost directory are lost too.
            guard path == root || written.contains(parent) else { continue }
            written.insert(path)
            let target = directory + path.dropFirst(root.count)
            switch node {
            case .directory:
                try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
                chmod(target, 0o700)
            case .file(let file):
                try Data(Self.content(file, lossChance: chance, &random)).write(to: URL(fileURLWithPath: target))
                chmod(target, 0o600)
            }
        }
    }

    /// The file with each sector as it was after, or before, one of the pending writes to it.
    private static func content(_ file: File, lossChance: Double, _ random: inout SeededRandom) -> [UInt8] {
        let truncations = file.pending.count { if case .resize = $0 { true } else { false } }
        var truncationsLeft = Int.random(in: 0...truncations, using: &random)
        var content = file.durable
        var stale: Set<Int> = []
        for change in file.pending {
            switch change {
            case .resize(let size):
                guard truncationsLeft > 0 else { return content }
                truncationsLeft -= 1
                File.resize(&content, size)
                stale = stale.filter { $0 * sector < size }
            case .write(let offset, let bytes):
                var position = offset
                while position < offset + bytes.count {
                    let end = min((position / sector + 1) * sector, offset + bytes.count)
                    if !stale.contains(position / sector), Double.random(in: 0..<1, using: &random) < lossChance {
                        stale.insert(position / sector)
                    }
                    if !stale.contains(position / sector) {
                        File.put(bytes[position - offset..<end - offset], at: position, &content)
                    }
                    position = end
                }
            }
        }
        return content
    }
}
