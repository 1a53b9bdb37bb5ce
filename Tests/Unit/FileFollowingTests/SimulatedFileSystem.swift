import FileFollowing
import Glibc
import LineRecords
import RecorderStore

/// What one run of a follower sees of a world. The world goes on between any two of its calls; it may end there.
final class SimulatedFileSystem: FileSystem, FollowObserver {
    private let world: FollowWorld
    private var disk: SimulatedDisk { world.disk }
    private var open: [Int32: SimulatedDisk.Node] = [:]
    private var lastFile: Int32 = 2
    private var opened: Set<FileKey> = []
    private(set) var watchedFiles: Set<Int32> = []
    private(set) var watchedDirectories: Set<Int32> = []
    private var changes: [FollowSignal: Set<Watch>] = [:]
    /// Open files of a server that has started again.
    private var stale: Set<Int32> = []
    /// Killed: what it does from now on has no effect.
    private(set) var isDead = false

    init(_ world: FollowWorld) {
        self.world = world
        disk.changed = { [unowned self] in note($0) }
    }

    private func note(_ node: SimulatedDisk.Node) {
        if watchedDirectories.contains(node.number) { changes[.names, default: []].insert(node.number) }
        if watchedFiles.remove(node.number) != nil { changes[.contents, default: []].insert(node.number) }
    }

    private func step() {
        disk.time += 2_000
        if world.isKilledNow() { die() }
        world.actPerhaps()
    }

    private func die() {
        guard !isDead else { return }
        isDead = true
        disk.changed = { _ in }
        for file in open.keys.sorted() { release(file) }
    }

    private func release(_ file: Int32) {
        guard let node = open.removeValue(forKey: file) else { return }
        disk.openCount[node.number, default: 0] -= 1
        disk.release(node)
    }

    // MARK: - FileSystem

    var now: ContinuousClock.Instant { world.start + .nanoseconds(disk.time - world.startTime) }
    var time: Int64 { disk.time }
    var bootID: String { "boot" }
    var descriptors: Int { world.settings.descriptors }

    func open(_ path: String, followsLink: Bool) -> Int32 {
        step()
        guard !isDead, let node = disk.find(path, followsLink: followsLink).node else {
            errno = ENOENT
            return -1
        }
        guard node.kind != .link else {
            errno = ELOOP
            return -1
        }
        lastFile += 1
        open[lastFile] = node
        world.mostOpen = max(world.mostOpen, open.count)
        // Of many, one may have to wait, and be gone until it is its turn.
        if !world.settings.kills, !world.settings.rotations.contains(.crowd) { world.known.insert(node.key) }
        opened.insert(node.key)
        world.see(node.key)
        disk.openCount[node.number, default: 0] += 1
        return lastFile
    }

    func close(_ file: Int32) { release(file) }

    func facts(of path: String, followsLink: Bool) -> FileFacts? {
        step()
        let node = disk.find(path, followsLink: followsLink).node
        if node == nil { errno = ENOENT }
        // A scan looks at the name itself; otherwise the file is looked for that had it.
        if !isDead, !followsLink, let node, opened.contains(node.key) { world.see(node.key) }
        return node?.facts
    }

    func facts(of file: Int32) -> FileFacts? {
        step()
        return stale.contains(file) ? nil : open[file]?.facts
    }

    func read(
        _ file: Int32,
        _ range: Range<Int>,
        andThen count: Int
    ) -> (range: [UInt8], behind: [UInt8], error: Int32) {
        step()
        guard let bytes = open[file]?.bytes else { return ([], [], EBADF) }
        if stale.contains(file) { return ([], [], ESTALE) }
        if world.failsRead() {
            if world.chance(3) { stale.insert(file) }
            return ([], [], EIO)
        }
        let all = bytes.indices
        return (
            Array(bytes[range.clamped(to: all)]),
            Array(bytes[(range.upperBound..<range.upperBound + count).clamped(to: all)]),
            0
        )
    }

    func isLayered(_ file: Int32) -> Bool { world.settings.isLayered }

    func writers(of file: Int32) -> FileFacts.Writers {
        step()
        return world.settings.tellsWriters ? open[file].map { $0.writers > 0 ? .some : .none } ?? .none : .unknown
    }

    func names(in directory: String, from start: String) -> [FileName]? {
        world.listings += 1
        step()
        guard let names = disk.names(in: directory) else {
            errno = ENOENT
            return nil
        }
        return names.filter { $0.utf8.starts(with: start.utf8) }.map(FileName.text)
    }

    func target(of link: String) -> String? {
        let node = disk.find(link, followsLink: false).node
        return node?.kind == .link ? node?.target : nil
    }

    func resolved(_ path: String) -> String? {
        let (path, node) = disk.find(path)
        return node == nil ? nil : String(decoding: path, as: UTF8.self)
    }

    func watch(directory: String) -> Watch? {
        step()
        guard let node = disk.find(directory).node, node.kind == .directory else { return nil }
        watchedDirectories.insert(node.number)
        return node.number
    }

    func watch(file: Int32) -> Watch? {
        step()
        return open[file].flatMap { watchFile($0) }
    }

    private func watchFile(_ node: SimulatedDisk.Node) -> Watch? {
        let isFull = watchedFiles.count >= world.settings.mostWatches && !watchedFiles.contains(node.number)
        guard !world.settings.pollsContents, !isFull else { return nil }
        watchedFiles.insert(node.number)
        return node.number
    }

    func watch(path: String) -> Watch? {
        step()
        return disk.find(path).node.flatMap { watchFile($0) }
    }

    func unwatch(_ watch: Watch, of signal: FollowSignal) {
        if signal == .names { watchedDirectories.remove(watch) } else { watchedFiles.remove(watch) }
    }

    func changes(of signal: FollowSignal) -> Set<Watch>? { changes.removeValue(forKey: signal) ?? [] }

    func wait(for signals: Set<FollowSignal>, atMost time: Duration) -> Set<FollowSignal> {
        step()
        let end = disk.time + Int64(time / .nanoseconds(1))
        while true {
            if isDead || world.isOver { return [.stop] }
            let ready = signals.filter { changes[$0]?.isEmpty == false || ($0 == .failedSave && hasFailedSave) }
            guard ready.isEmpty, disk.time < end else { return ready }
            disk.time = min(end, max(world.nextAction, disk.time + 1_000))
            world.actPerhaps()
            if world.isKilledNow() { die() }
        }
    }

    var hasFailedSave = false
    /// Saves fail on the follower's thread here.
    var tellFailedSave: @Sendable () -> Void { { [world] in world.process?.hasFailedSave = true } }
    func takeFailedSaves() { hasFailedSave = false }

    // MARK: - FollowObserver

    func tell(_ notice: FollowNotice) {
        if !isDead { world.hear(notice) }
    }

    func forget(_ path: String) {}
    func note(_ flows: [String: FlowMetrics], of service: String) {}
    func countGivenUp(_ searches: Int, of service: String) {}
}

/// Records and positions, which outlive the runs of a follower.
final class SimulatedStore: FollowStore, @unchecked Sendable {
    private unowned let world: FollowWorld
    private(set) var records: [String: Int] = [:]
    private var positions: [Int64: FilePosition] = [:]
    /// How often they were read.
    private(set) var readings = 0
    /// It takes positions, but no records.
    var isFull = false
    private var held: [() -> Void] = []
    private var isTogether = false
    /// Those with a failed save; kept, so that no other one has their addresses.
    private var failed: [SaveSequence] = []
    private let claimsPath: String

    init(_ world: FollowWorld, claims path: String) { (self.world, claimsPath) = (world, path) }

    var service: StreamServiceDescription { .kinesis }

    func save(
        _ payloads: PayloadList,
        stream: String?,
        partitionKey: String?,
        sequence: SaveSequence?,
        filePositions: FilePositionChanges?,
        completion: @escaping SaveCompletion
    ) {
        let save = { [self] in
            if isFull, payloads.ranges.count > 0 {
                if let sequence { failed.append(sequence) }
                return completion(.failure(.storeFull("the store is at its limit")))
            }
            let hasFailed = failed.contains { $0 === sequence } || world.failsSave()
            guard !hasFailed else {
                if let sequence { failed.append(sequence) }
                return completion(.failure(.storage("the disk has an error", nil)))
            }
            if world.process?.isDead == false {
                world.note(
                    "stores \(payloads.ranges.count) lines, \(filePositions?.stored.map { "\($0.inode)\($0.isGone ? " gone" : "") to \($0.offset)" } ?? [])"
                )
                for range in payloads.ranges {
                    records[String(decoding: payloads.bytes[range], as: UTF8.self), default: 0] += 1
                }
                for id in filePositions?.forgotten ?? [] { positions[id] = nil }
                for position in filePositions?.stored ?? [] {
                    positions[position.id] = position
                    world.store(position)
                }
            }
            completion(.success(()))
        }
        if isTogether { held.append(save) } else { save() }
    }

    func saveTogether(_ body: () -> Void) {
        isTogether = true
        body()
        isTogether = false
        for save in held { save() }
        held = []
    }

    func filePositions(of stream: String?, except known: Set<Int64>) throws(RecorderError) -> FilePositions {
        readings += 1
        var result = FilePositions()
        result.positions = positions.values.filter { !known.contains($0.id) }.sorted { $0.id < $1.id }
        return result
    }

    /// How many files that are gone it has positions of.
    var goneCount: Int { positions.values.count(where: \.isGone) }

    func position(of file: FileKey) -> FilePosition? {
        positions.values.first { $0.file == file }
    }

    func fileClaims() -> FileClaims {
        let path = claimsPath
        return FileClaims { () throws(RecorderError) in path }
    }
}
