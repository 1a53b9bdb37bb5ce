import FileFollowing
import LineRecords
import RecorderHTTP
import RecorderStore
import RecorderTestSupport

/// Programs that write and rotate files, and a follower that is killed now and then. A seed chooses everything.
final class FollowWorld: @unchecked Sendable {
    enum Rotation: CaseIterable {
        case rename, copyTruncate, compress, repoint, remove, sibling
        case touch, namesake, crowd, brief
    }

    struct Settings {
        var rotations: [Rotation] = []
        var hasWildcards = false
        var tellsWriters = true
        var descriptors = 1_024
        var multilineStart: String?
        var kills = true
        var failsSaves = false
        /// Lines of one length: generations are of the same size.
        var hasEqualLines = false
        /// Of a name that is written in two ways, which are two files.
        var hasAccent = false
        /// The first file is one of a container's image.
        var isLayered = false
        /// Whether there are no events of files.
        var pollsContents = false
        /// How many files may be watched for events.
        var mostWatches = Int.max
        var failsReads = false
    }

    /// A line, and where it was written.
    struct Line {
        let text: String
        var file: FileKey
        let end: Int
        let time: Int64
        /// How often its file had been truncated before.
        let generation: Int
    }

    let disk = SimulatedDisk()
    let start = ContinuousClock.now
    let startTime: Int64
    var settings = Settings()
    private(set) var store: SimulatedStore!
    private(set) var process: SimulatedFileSystem?
    /// How often a directory was listed.
    var listings = 0
    /// How many files a follower had open at most.
    var mostOpen = 0
    /// What was said, how many lines there were, and the file that it calls a copy.
    private(set) var notices: [(notice: FollowNotice, lines: Int, copy: FileKey?)] = []
    /// The files that a follower has opened; if it may be killed, those that its store knows.
    var known: Set<FileKey> = []
    /// How many of the lines were in a file when a follower looked at it last, or had it in reach for a while. What it did not
    /// see is not missed: a link may lead to a file for a moment, or while none runs.
    var seen: [FileKey: Int] = [:]
    /// Since when the link leads where it does, and a follower runs.
    private(set) var reachSince: Int64 = 0
    /// As `seen` was when the link was changed last.
    var seenBefore: [FileKey: Int] = [:]
    private static let reachTime = 15 * second
    /// What files held that were truncated in place; nil if nothing of them was stored: the file was empty, and is empty again.
    private(set) var truncated: [FileKey: [[UInt8]?]] = [:]
    /// Lines that were written between the copying of a file and its truncation.
    private(set) var gaps: Set<Int> = []
    /// How often files had been truncated when a position of them was stored last.
    var stored: [FileKey: Int] = [:]
    /// How many lines there were when it was stored last that a file is gone.
    var gone: [FileKey: Int] = [:]
    /// Programs begin once the pattern is followed: what was rotated before that is not read.
    private var hasBegun = false
    private(set) var lines: [Line] = []
    private(set) var story: [String] = []

    /// Of the file that is written.
    var name = "app.log"
    var path: String { "/logs/\(name)" }
    var random: SeededRandom
    var actionsLeft: Int
    var nextAction: Int64
    private var isActing = false
    private var writer: (node: SimulatedDisk.Node, linesLeft: Int)?
    private var partial = ""
    /// What a compression under way has written the half of.
    private var compressing: (path: String, bytes: [UInt8])?
    /// A file that is there for a moment.
    var brief: (path: String, node: SimulatedDisk.Node)?
    var quietFrom: Int64 = .max
    /// What happens in a world without accidents, and when.
    var plan: [(time: Int64, act: () -> Void)] = []

    static let second: Int64 = 1_000_000_000

    init(seed: UInt64, claims path: String) {
        random = SeededRandom(seed)
        startTime = disk.time
        nextAction = disk.time
        actionsLeft = Int.random(in: 20...150, using: &random)
        settings.rotations = Rotation.allCases.prefix(6).filter { _ in Bool.random(using: &random) }
        if settings.rotations.contains(.copyTruncate) { settings.rotations.removeAll { $0 == .sibling } }
        settings.hasWildcards = chance(3)
        settings.tellsWriters = Bool.random(using: &random)
        settings.kills = Bool.random(using: &random)
        settings.failsSaves = chance(4)
        settings.hasEqualLines = Bool.random(using: &random)
        if chance(4) { settings.descriptors = 1 }
        if seed >= Self.firstStrange { addStrange() }
        if seed >= Self.firstCrowded { addCrowded() }
        if seed >= Self.firstPolled { settings.pollsContents = chance(2) }
        if seed >= Self.firstFailing { addFailing() }
        store = SimulatedStore(self, claims: path)
        for directory in ["/a", "/b"] { disk.create(directory, .directory) }
        disk.create("/logs", .link, target: "/a")
        guard settings.isLayered else { return }
        write(3)
        leaveImage()
    }

    /// The file so far is one of an image.
    private func leaveImage() {
        endLine()
        guard let node = writer?.node else { return }
        node.isLayered = true
        leave(node)
    }

    /// Adds to the story of a world.
    func note(_ text: String) {
        let milliseconds = (disk.time - startTime) / 1_000_000
        story.append("\(milliseconds) ms: \(text)")
    }

    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    // MARK: - the follower

    var isOver: Bool { actionsLeft == 0 && disk.time > quietFrom + 400 * Self.second }

    func isKilledNow() -> Bool { hasBegun && settings.kills && actionsLeft > 0 && !isActing && chance(4_000) }

    func failsRead() -> Bool { hasBegun && settings.failsReads && actionsLeft > 0 && chance(100) }

    func failsSave() -> Bool { hasBegun && settings.failsSaves && actionsLeft > 0 && chance(30) }

    /// Runs until everything that was written had time to be read.
    func run() {
        var flow = FileFlow(stream: "app", patterns: [settings.hasWildcards ? "/logs/*.log" : path])
        flow.rules.multilineStart = settings.multilineStart.flatMap { try? LinePattern($0) }
        while !isOver {
            let process = SimulatedFileSystem(self)
            self.process = process
            reachSince = disk.time
            note("follower starts")
            _ = FollowLoop([FileFlowTarget(flow, in: store)], in: "/", process, observer: process).run { [self] in
                hasBegun = true
            }
            note(process.isDead ? "follower is killed" : "follower ends")
            guard !isOver else { break }
            disk.changed = { _ in }
            forgetSeen()
            // What happens while none runs.
            for _ in 0..<Int.random(in: 0...12, using: &random) { act() }
        }
    }

    // MARK: - the programs

    func actPerhaps() {
        if hasBegun, let next = plan.first, next.time <= disk.time {
            plan.removeFirst()
            nextAction = plan.first?.time ?? .max
            next.act()
        }
        guard hasBegun, !isActing, actionsLeft > 0, disk.time >= nextAction || chance(300) else { return }
        act()
    }

    private func act() {
        guard actionsLeft > 0 else { return }
        seeReachable()
        isActing = true
        defer { isActing = false }
        actionsLeft -= 1
        disk.time += 1_000
        let rest = [1, 20, 500, 4_000, 20_000, 50_000].randomElement(using: &random) ?? 1
        nextAction = disk.time + Int64.random(in: 1...Int64(rest) * 1_000_000, using: &random)
        if let compressing {
            finish(compressing.path, compressing.bytes)
        } else if let brief {
            endSoon(brief.path, brief.node)
        } else if chance(4), let rotation = settings.rotations.randomElement(using: &random) {
            rotate(rotation)
        } else {
            write(Int.random(in: 1...5, using: &random))
        }
        if actionsLeft == 0 {
            endLine()
            if let compressing { finish(compressing.path, compressing.bytes) }
            if let writer { leave(writer.node) }
            (quietFrom, nextAction) = (disk.time, .max)
        }
    }

    private func leave(_ node: SimulatedDisk.Node) {
        node.writers -= 1
        disk.changed(node)
        disk.release(node)
        writer = nil
    }

    private func write(_ count: Int) {
        if let current = writer, current.linesLeft <= 0 { endLine(); leave(current.node) }
        if writer == nil {
            let node = copyUp() ?? disk.create(path)
            node.writers += 1
            writer = (node, .max)
        }
        for _ in 0..<count {
            endLine()
            let number = lines.count + 1_000_000
            partial = "line \(number)\(settings.hasEqualLines ? "" : String(repeating: "x", count: number % 300))\n"
            if chance(3), let node = writer?.node {
                // In two pieces.
                let piece = Int.random(in: 1..<partial.utf8.count, using: &random)
                text = partial
                disk.write(Array(partial.utf8.prefix(piece)), to: node)
                partial = String(partial.dropFirst(piece))
                if chance(2) { break }
            } else {
                text = partial
            }
            endLine()
        }
        if let left = writer?.linesLeft, left != .max { writer?.linesLeft = left - count }
    }

    private var text = ""
    private(set) var copiedUp: (below: FileKey, above: FileKey)?

    /// A file of an image is copied when it is opened for writing.
    private func copyUp() -> SimulatedDisk.Node? {
        guard let below = disk.find(path).node, let copy = disk.copyUp(path) else { return nil }
        note("copied up as inode \(copy.key.inode)")
        for index in lines.indices where lines[index].file == below.key { lines[index].file = copy.key }
        copiedUp = (below.key, copy.key)
        if known.contains(below.key) { known.insert(copy.key) }
        (seen[copy.key], stored[copy.key]) = (seen[below.key], stored[below.key])
        return copy
    }

    /// Writes the rest of a line.
    func endLine() {
        guard !partial.isEmpty, let node = writer?.node else { return }
        disk.write(Array(partial.utf8), to: node)
        partial = ""
        note("\(text.prefix(12)) to inode \(node.key.inode)")
        add(String(text.dropLast()), to: node)
    }

    func add(_ text: String, to node: SimulatedDisk.Node) {
        let generation = truncated[node.key, default: []].count
        lines.append(
            Line(text: text, file: node.key, end: node.bytes.count, time: disk.time, generation: generation)
        )
        if disk.openCount[node.number, default: 0] > 0 { see(node.key) }
    }

    // MARK: - what a follower sees

    func hear(_ notice: FollowNotice) {
        // There are many, and no law asks for them.
        if case .counted = notice { return }
        var copy: FileKey?
        if case .incomplete(.copied(let path, _)) = notice { copy = disk.find(path).node?.key }
        notices.append((notice, lines.count, copy))
        note("says \("\(notice)".prefix(160))")
    }

    func see(_ file: FileKey) { seen[file] = lines.count }

    /// What was in reach for a while has to be seen.
    private func seeReachable() {
        guard process?.isDead == false, disk.time - reachSince > Self.reachTime else { return }
        let count = lines.partitioningIndex { $0.time > disk.time - Self.reachTime }
        for name in disk.names(in: "/logs") ?? [] {
            guard let file = disk.find("/logs/\(name)").node?.key else { continue }
            seen[file] = max(seen[file, default: 0], count)
        }
    }

    private func shift() {
        for ending in ["", ".gz"] {
            disk.remove("\(path).5\(ending)")
            for number in (1...4).reversed() {
                disk.rename("\(path).\(number)\(ending)", to: "\(path).\(number + 1)\(ending)")
            }
        }
    }

    private func rotate(_ rotation: Rotation) {
        guard let node = disk.find(path).node else { return }
        note("\(rotation)")
        switch rotation {
        case .rename:
            shift()
            disk.rename(path, to: "\(path).1")
            // It writes some more lines before it opens the new file.
            if writer?.node === node { writer?.linesLeft = Int.random(in: 0...6, using: &random) }
        case .copyTruncate:
            endLine()
            shift()
            let copy = disk.create("\(path).1")
            disk.write(node.bytes, to: copy)
            if chance(2), writer?.node === node {
                write(1)
                endLine()
            }
            for (number, line) in lines.enumerated().suffix(1)
            where line.file == node.key && line.end > copy.bytes.count {
                gaps.insert(number)
            }
            let generation = truncated[node.key, default: []].count
            let isKnown =
                store.position(of: node.key).map { $0.offset > 0 } == true
                && lines.contains {
                    $0.file == node.key && $0.generation == generation && store.records[$0.text] != nil
                }
            truncated[node.key, default: []].append(isKnown ? node.bytes : nil)
            disk.truncate(node)
        case .compress:
            guard let original = disk.find("\(path).1").node, original.writers == 0,
                let bytes = Gzip.compress(original.bytes)
            else { return }
            disk.write(Array(bytes.prefix(bytes.count / 2)), to: disk.create("\(path).1.gz"))
            compressing = ("\(path).1", bytes)
        case .repoint:
            guard let link = disk.find("/logs", followsLink: false).node else { return }
            let target = link.target == "/a" ? "/b" : "/a"
            leaveBehind(link.target)
            disk.remove("/logs")
            disk.create("/logs", .link, target: target)
            reachSince = disk.time
            if writer != nil { writer?.linesLeft = Int.random(in: 0...3, using: &random) }
        case .sibling:
            // It differs from the file only in one line.
            endLine()
            let same = lines.filter { $0.file == node.key }
            guard same.count > 2, node.bytes.count > 2_100 || settings.hasEqualLines else { return }
            let sibling = disk.create("/logs/app-\(lines.count).log")
            for (index, line) in same.enumerated() {
                let other = "line \(lines.count + 1_000_000)"
                let text = index == same.count / 2 ? other + line.text.dropFirst(other.utf8.count) : line.text
                disk.write(Array("\(text)\n".utf8), to: sibling)
                add(text, to: sibling)
            }
            sibling.changed -= 3_600 * Self.second
        case .touch:
            node.givenTime = [.max, .min, -1 << 40, 1 << 40, 0].randomElement(using: &random)
            disk.changed(node)
        case .namesake:
            // Not followed; a file with the same name as text.
            disk.write(Array("another file's line \(lines.count)\n".utf8), to: disk.create("/logs/e\u{301}.log"))
        case .crowd: writeToMany(Int.random(in: 1...24, using: &random))
        case .brief: beginBriefly()
        case .remove:
            disk.remove(path)
            if writer?.node === node { writer?.linesLeft = Int.random(in: 0...6, using: &random) }
        }
    }

    private func finish(_ path: String, _ bytes: [UInt8]) {
        compressing = nil
        guard let original = disk.find(path).node, let node = disk.find("\(path).gz").node else { return }
        disk.write(Array(bytes.dropFirst(bytes.count / 2)), to: node)
        node.changed = original.changed
        disk.remove(path)
    }
}

extension Array {
    /// The index of the first element that fits, of which those that do come last.
    fileprivate func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
