import FileFollowing
import RecorderEngine
import RecorderHTTP
import RecorderTestSupport

/// Programs that write and rotate files, and a follower that is killed now and then. A seed chooses everything.
final class FollowWorld: @unchecked Sendable {
    enum Rotation: CaseIterable { case rename, copyTruncate, compress, repoint, remove, sibling }

    struct Settings {
        var rotations: [Rotation] = []
        var hasWildcards = false
        var tellsWriters = true
        var descriptors = 1_024
        var kills = true
        var failsSaves = false
        /// Lines of one length: generations are of the same size.
        var hasEqualLines = false
    }

    /// A line, and where it was written.
    struct Line {
        let text: String
        let file: FileKey
        let end: Int
    }

    let disk = SimulatedDisk()
    let start = ContinuousClock.now
    let startTime: Int64
    private(set) var settings = Settings()
    private(set) var store: SimulatedStore!
    private(set) var process: SimulatedFileSystem?
    var notices: [FollowNotice] = []
    /// The files that a follower has opened; if it may be killed, those that its store knows.
    var known: Set<FileKey> = []
    /// Lines that were only in a file that was truncated in place.
    private var cut: Set<String> = []
    /// Those of which no byte before them was stored: the file was empty, and is empty again.
    private var unseen: Set<String> = []
    /// How many lines there were when a file was truncated last.
    private var truncatedAt: [FileKey: Int] = [:]
    /// Programs begin once the pattern is followed: what was rotated before that is not read.
    private var hasBegun = false
    private(set) var lines: [Line] = []
    private(set) var story: [String] = []

    private var random: SeededRandom
    private var actionsLeft: Int
    private(set) var nextAction: Int64
    private var isActing = false
    private var writer: (node: SimulatedDisk.Node, linesLeft: Int)?
    private var partial = ""
    /// What a compression under way has written the half of.
    private var compressing: (path: String, bytes: [UInt8])?
    private var quietFrom: Int64 = .max

    private static let second: Int64 = 1_000_000_000

    init(seed: UInt64, claims path: String) {
        random = SeededRandom(seed)
        startTime = disk.time
        nextAction = disk.time
        actionsLeft = Int.random(in: 20...150, using: &random)
        settings.rotations = Rotation.allCases.filter { _ in Bool.random(using: &random) }
        // What is copied or removed where a link leads for a moment is not noticed.
        if settings.rotations.contains(.repoint) {
            settings.rotations.removeAll { $0 == .copyTruncate || $0 == .remove }
        }
        if settings.rotations.contains(.copyTruncate) { settings.rotations.removeAll { $0 == .sibling } }
        settings.hasWildcards = Int.random(in: 0..<3, using: &random) == 0
        settings.tellsWriters = Bool.random(using: &random)
        settings.kills = Bool.random(using: &random)
        settings.failsSaves = Int.random(in: 0..<4, using: &random) == 0
        settings.hasEqualLines = Bool.random(using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 { settings.descriptors = 1 }
        store = SimulatedStore(self, claims: path)
        for directory in ["/a", "/b"] { disk.create(directory, .directory) }
        disk.create("/logs", .link, target: "/a")
    }

    /// Adds to the story of a world.
    func note(_ text: String) {
        let milliseconds = (disk.time - startTime) / 1_000_000
        story.append("\(milliseconds) ms: \(text)")
    }

    private func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    // MARK: - the follower

    var isOver: Bool { actionsLeft == 0 && disk.time > quietFrom + 400 * Self.second }

    func isKilledNow() -> Bool { hasBegun && settings.kills && actionsLeft > 0 && !isActing && chance(4_000) }

    func failsSave() -> Bool { hasBegun && settings.failsSaves && actionsLeft > 0 && chance(30) }

    /// Runs until everything that was written had time to be read.
    func run() {
        let flow = FileFlow(stream: "app", patterns: [settings.hasWildcards ? "/logs/*.log" : "/logs/app.log"])
        while !isOver {
            let process = SimulatedFileSystem(self)
            self.process = process
            note("follower starts")
            _ = FollowLoop([FileFlowTarget(flow, in: store)], in: "/", process, observer: process).run { [self] in
                hasBegun = true
            }
            note(process.isDead ? "follower is killed" : "follower ends")
            guard !isOver else { break }
            disk.changed = { _ in }
            // What happens while none runs.
            for _ in 0..<Int.random(in: 0...12, using: &random) { act() }
        }
    }

    // MARK: - the programs

    func actPerhaps() {
        guard hasBegun, !isActing, actionsLeft > 0, disk.time >= nextAction || chance(300) else { return }
        act()
    }

    private func act() {
        guard actionsLeft > 0 else { return }
        isActing = true
        defer { isActing = false }
        actionsLeft -= 1
        disk.time += 1_000
        let rest = [1, 20, 500, 4_000, 20_000, 50_000].randomElement(using: &random) ?? 1
        nextAction = disk.time + Int64.random(in: 1...Int64(rest) * 1_000_000, using: &random)
        if let compressing {
            finish(compressing.path, compressing.bytes)
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
            let node = disk.create("/logs/app.log")
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

    /// Writes the rest of a line.
    private func endLine() {
        guard !partial.isEmpty, let node = writer?.node else { return }
        disk.write(Array(partial.utf8), to: node)
        partial = ""
        note("\(text.prefix(12)) to inode \(node.key.inode)")
        lines.append(Line(text: String(text.dropLast()), file: node.key, end: node.bytes.count))
    }

    private func shift() {
        for ending in ["", ".gz"] {
            disk.remove("/logs/app.log.5\(ending)")
            for number in (1...4).reversed() {
                disk.rename("/logs/app.log.\(number)\(ending)", to: "/logs/app.log.\(number + 1)\(ending)")
            }
        }
    }

    private func rotate(_ rotation: Rotation) {
        guard let node = disk.find("/logs/app.log").node else { return }
        note("\(rotation)")
        switch rotation {
        case .rename:
            shift()
            disk.rename("/logs/app.log", to: "/logs/app.log.1")
            // It writes some more lines before it opens the new file.
            if writer?.node === node { writer?.linesLeft = Int.random(in: 0...6, using: &random) }
        case .copyTruncate:
            endLine()
            shift()
            let copy = disk.create("/logs/app.log.1")
            disk.write(node.bytes, to: copy)
            if chance(2), writer?.node === node {
                write(1)
                endLine()
            }
            for line in lines[truncatedAt[node.key, default: 0]...]
            where line.file == node.key && line.end > copy.bytes.count {
                cut.insert(line.text)
                if store.offset(of: node.key) == 0 { unseen.insert(line.text) }
            }
            truncatedAt[node.key] = lines.count
            disk.truncate(node)
        case .compress:
            guard let original = disk.find("/logs/app.log.1").node, original.writers == 0,
                let bytes = Gzip.compress(original.bytes)
            else { return }
            disk.write(Array(bytes.prefix(bytes.count / 2)), to: disk.create("/logs/app.log.1.gz"))
            compressing = ("/logs/app.log.1", bytes)
        case .repoint:
            guard let link = disk.find("/logs", followsLink: false).node else { return }
            let target = link.target == "/a" ? "/b" : "/a"
            disk.remove("/logs")
            disk.create("/logs", .link, target: target)
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
                lines.append(Line(text: text, file: sibling.key, end: sibling.bytes.count))
            }
            sibling.changed -= 3_600 * Self.second
        case .remove:
            disk.remove("/logs/app.log")
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

    // MARK: - laws

    /// What broke a law.
    var faults: [String] {
        var faults: [String] = []
        for (text, same) in Dictionary(grouping: lines, by: \.text).sorted(by: { $0.key < $1.key }) {
            let count = store.records[text, default: 0]
            let isExcused = same.contains { !known.contains($0.file) || unseen.contains(text) || isTold($0) }
            guard count > same.count || (count < same.count && !isExcused) else { continue }
            faults.append("stored \(count) times, written \(same.count): \(text.prefix(12)) of \(same[0].file)")
        }
        let written = Set(lines.map(\.text))
        faults += store.records.keys.filter { !written.contains($0) }.map { "never written: \($0.prefix(40))" }
        return faults
    }

    /// Whether it was said of its file that lines after a byte before it may be missing.
    private func isTold(_ line: Line) -> Bool {
        notices.contains { notice in
            // Where it is not known whether a program has it open, it is read for a minute.
            if case .reading(_, .deleted(let end, .unknown)) = notice, end < line.end { return true }
            guard case .incomplete(let loss) = notice else { return false }
            let position: FilePosition? =
                switch loss {
                case .truncated(let position), .cutOff(let position), .gone(let position): position
                case .copied(_, let orphan): orphan.position
                case .endLost, .positionLost: nil
                }
            guard let position, position.inode == line.file.inode, position.birth == line.file.birth else {
                return false
            }
            return position.offset < line.end || truncatedAt[line.file] != nil
        }
    }
}
