import FileFollowing

/// A disk in memory: files, links and directories under one root, whose inodes are used again.
final class SimulatedDisk {
    final class Node {
        fileprivate(set) var key: FileKey
        let number: Int32
        let kind: FileFacts.Kind
        /// Of a link.
        var target = ""
        var bytes: [UInt8] = []
        /// In nanoseconds since 1970.
        var changed: Int64
        /// A time in seconds that a program gave it; any number.
        var givenTime: Int?
        /// Whether it is one of a container's image.
        var isLayered = false { didSet { hasImageInode = isLayered } }
        /// Whether its inode is that of a file of the image, which stays there: it is never used again.
        fileprivate(set) var hasImageInode = false
        var names = 0
        var writers = 0

        init(_ key: FileKey, number: Int32, _ kind: FileFacts.Kind, at time: Int64) {
            (self.key, self.number, self.kind, changed) = (key, number, kind, time)
        }

        var facts: FileFacts {
            let time = givenTime.map { FileFacts.nanoseconds($0, 0) } ?? changed
            return FileFacts(key, kind, size: bytes.count, changed: time, names: names)
        }
    }

    /// By path, as bytes: two paths that are equal as text may be two files.
    private var nodes: [[UInt8]: Node] = [:]
    private var lastNumber: Int32 = 0
    private var freeInodes: [UInt64] = []
    private var device: UInt64 = 1
    /// Whether the file system says when a file was created.
    var hasBirths = true
    /// In nanoseconds since 1970.
    var time: Int64 = 1_800_000_000_000_000_000
    /// Told of changed files, and of directories with changed names.
    var changed: (Node) -> Void = { _ in }

    init() { nodes[[]] = newNode(.directory) }

    private func newNode(_ kind: FileFacts.Kind) -> Node {
        lastNumber += 1
        let inode = freeInodes.popLast() ?? UInt64(lastNumber)
        return Node(
            FileKey(device: device, inode: inode, birth: hasBirths ? time : 0),
            number: lastNumber,
            kind,
            at: time
        )
    }

    // MARK: - paths

    private static func parts(_ path: String) -> [[UInt8]] { path.utf8.split(separator: 47).map { Array($0) } }

    /// The path without links, and what is there.
    func find(_ path: String, followsLink: Bool = true) -> (path: [UInt8], node: Node?) {
        var (found, rest, links) = ([UInt8](), Self.parts(path)[...], 0)
        while let part = rest.popFirst() {
            let next = found + [47] + part
            guard let node = nodes[next], node.kind == .link, followsLink || !rest.isEmpty, links < 40 else {
                found = next
                continue
            }
            links += 1
            rest = Self.parts(node.target) + rest
            found = []
        }
        return (found, nodes[found])
    }

    func names(in directory: String) -> [String]? {
        let (path, node) = find(directory)
        guard node?.kind == .directory else { return nil }
        return nodes.keys.filter { $0.starts(with: path + [47]) && !$0.dropFirst(path.count + 1).contains(47) }
            .map { String(decoding: $0.dropFirst(path.count + 1), as: UTF8.self) }.sorted()
    }

    private func touchParent(of path: [UInt8]) {
        guard let slash = path.lastIndex(of: 47), let parent = nodes[Array(path[..<slash])] else { return }
        parent.changed = time
        changed(parent)
    }

    // MARK: - changes

    /// Opens a file, and creates it if there is none.
    @discardableResult
    func create(_ path: String, _ kind: FileFacts.Kind = .file, target: String = "") -> Node {
        let (path, old) = find(path, followsLink: kind == .file)
        if let old { return old }
        let node = newNode(kind)
        (node.names, node.target) = (1, target)
        nodes[path] = node
        touchParent(of: path)
        return node
    }

    func write(_ bytes: [UInt8], to node: Node) {
        node.bytes += bytes
        node.changed = time
        node.givenTime = nil
        changed(node)
    }

    func truncate(_ node: Node) {
        node.bytes = []
        node.changed = time
        changed(node)
    }

    /// Copies a file of a container's image into the layer above, as it is opened for writing: its inode has another time of birth.
    /// The file below keeps its name there.
    func copyUp(_ path: String) -> Node? {
        let (path, node) = find(path)
        guard let node, node.isLayered else { return nil }
        lastNumber += 1
        let key = FileKey(device: node.key.device, inode: node.key.inode, birth: time)
        let copy = Node(key, number: lastNumber, .file, at: node.changed)
        (copy.bytes, copy.names, copy.hasImageInode) = (node.bytes, 1, true)
        nodes[path] = copy
        touchParent(of: path)
        return copy
    }

    /// As another device.
    func mountAgain() {
        device += 1
        for node in nodes.values {
            node.key = FileKey(device: device, inode: node.key.inode, birth: node.key.birth)
        }
    }

    func remove(_ path: String) {
        let path = find(path, followsLink: false).path
        guard let node = nodes.removeValue(forKey: path) else { return }
        node.names -= 1
        if node.kind == .directory { changed(node) }
        touchParent(of: path)
        release(node)
    }

    func rename(_ path: String, to other: String) {
        let (old, new) = (find(path, followsLink: false).path, find(other, followsLink: false).path)
        guard let node = nodes[old] else { return }
        if nodes[new] != nil { remove(other) }
        nodes[old] = nil
        nodes[new] = node
        touchParent(of: old)
        touchParent(of: new)
    }

    /// Frees the inode of a file without names that no program has open.
    func release(_ node: Node) {
        if node.names == 0, node.writers == 0, openCount[node.number, default: 0] == 0, !node.hasImageInode {
            freeInodes.append(node.key.inode)
        }
    }

    /// How often a follower has a file open.
    var openCount: [Int32: Int] = [:]
}
