import FileFollowing

/// What only some worlds have.
extension FollowWorld {
    /// From these seeds on, worlds may be stranger; those before stay what they were.
    static let (firstStrange, firstCrowded): (UInt64, UInt64) = (5_000, 3_000_000)
    static let (firstPolled, firstFailing): (UInt64, UInt64) = (8_000_000, 9_000_000)

    /// A world in which so many files exist before the follower begins, and nothing happens after that.
    convenience init(files count: Int, multilineStart: String? = nil, claims path: String) {
        self.init(seed: 0, claims: path)
        settings = Settings()
        (settings.hasWildcards, settings.kills, settings.descriptors) = (true, false, 1)
        settings.multilineStart = multilineStart
        writeToMany(count)
        (actionsLeft, quietFrom, nextAction) = (0, disk.time, .max)
    }

    /// Later actions come later.
    func plan(at seconds: Double, _ act: @escaping () -> Void) {
        quietFrom = startTime + Int64(seconds * Double(Self.second))
        plan.append((quietFrom, act))
        nextAction = plan[0].time
    }

    func addStrange() {
        if chance(4) { settings.rotations.append(.touch) }
        settings.hasAccent = !settings.hasWildcards && chance(4)
        if settings.hasAccent {
            name = "\u{e9}.log"
            settings.rotations.append(.namesake)
        }
        settings.isLayered = !settings.rotations.contains(.repoint) && chance(2)
    }

    func addFailing() {
        settings.failsReads = chance(2)
        // Some have events, and some not.
        if !settings.pollsContents, chance(2) { settings.mostWatches = Int.random(in: 1...3, using: &random) }
    }

    func addCrowded() {
        if chance(2) { settings.rotations.append(.brief) }
        // Of the files behind a link that leads elsewhere, only so many are remembered.
        guard chance(4), !settings.hasAccent, !settings.rotations.contains(.repoint) else { return }
        settings.hasWildcards = true
        settings.rotations.append(.crowd)
    }

    /// What a link led to for a moment was seen only if it was opened.
    func leaveBehind(_ directory: String) {
        let isMoment = disk.time - reachSince < 1_000_000_000
        for name in disk.names(in: directory) ?? [] where isMoment {
            guard let node = disk.find("\(directory)/\(name)").node, disk.openCount[node.number, default: 0] == 0 else {
                continue
            }
            // A kill since then may have made it less.
            seen[node.key] = seenBefore[node.key].map { min($0, seen[node.key, default: 0]) }
        }
        seenBefore = seen
    }

    /// Writes a line to each of some files, more than may be open if there are few descriptors.
    func writeToMany(_ count: Int) {
        for number in 0..<count { write(to: disk.create("/logs/worker\(number).log")) }
    }

    /// Creates an empty file, which is written to, and deleted, soon after. It has the name of a rotated one.
    func beginBriefly() {
        let path = "\(path.dropLast(4))-9\(lines.count).log"
        brief = (path, disk.create(path))
        hurry()
    }

    func endSoon(_ path: String, _ node: SimulatedDisk.Node) {
        if node.bytes.isEmpty {
            for _ in 0..<Int.random(in: 1...3, using: &random) { write(to: node) }
            hurry()
        } else {
            disk.remove(path)
            brief = nil
        }
    }

    private func hurry() { nextAction = disk.time + Int64.random(in: 1...1_500, using: &random) * 1_000_000 }

    func write(to node: SimulatedDisk.Node) {
        endLine()
        let text = "line \(lines.count + 1_000_000)"
        disk.write(Array("\(text)\n".utf8), to: node)
        add(text, to: node)
        note("\(text) to inode \(node.key.inode)")
    }
}
