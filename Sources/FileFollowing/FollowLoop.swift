import Glibc
import LineRecords
import RecorderStore

/// The loop of the follower's thread: looks for files, reads a piece of each in turn, and waits for changes.
package final class FollowLoop {
    let flows: [FlowFollower]
    let system: any FileSystem
    private let observer: any FollowObserver
    var isStopped = false
    /// When the observer was told of the flows last.
    private var lastMetrics: ContinuousClock.Instant?
    private let saves: FollowSaves
    private let openFiles: OpenFiles
    /// The files that are watched for one event.
    var watched: [Watch: [(FollowedFile, FlowFollower)]] = [:]
    /// Those with an event that a scan has noted; nil if some were lost.
    var noted: Set<Watch>? = []
    /// Whether there may be files without events: of another machine, or as a limit of watches was reached. They are looked at
    /// from time to time.
    var hasUnwatched = false
    private var watchedDirectories: Set<Watch> = []
    /// When files were last looked at that may be copies.
    private var lastLook: ContinuousClock.Instant

    /// How often files are looked at for which there are no events.
    static let pollInterval = Duration.seconds(1)
    /// How long changes wait before they are read.
    var delay: ReadingDelay
    /// How often flows were scanned.
    private var scans = 0
    /// The time for the steps of one rotation.
    static let rotation = Duration.milliseconds(10)

    /// Relative patterns begin in a directory.
    package init(
        _ targets: [FileFlowTarget],
        in directory: String,
        _ system: any FileSystem,
        observer: any FollowObserver
    ) {
        (self.system, self.observer) = (system, observer)
        (lastLook, delay) = (system.now - Self.pollInterval, ReadingDelay(at: system.now))
        saves = FollowSaves(in: system)
        let openFiles = OpenFiles(system)
        self.openFiles = openFiles
        var claims: [ObjectIdentifier: FileClaims] = [:]
        flows = targets.map { target in
            let store = ObjectIdentifier(target.store)
            let shared = claims[store] ?? target.store.fileClaims()
            claims[store] = shared
            return FlowFollower(
                target,
                claims: shared,
                openFiles: openFiles,
                directory: directory,
                observer: observer
            )
        }
    }

    /// Follows until it is stopped, and returns once everything that was read is stored. `started` is called when the files that
    /// exist are known, and changes of their directories are watched.
    package func run(started: () -> Void) -> FollowEnd {
        var hasStarted = false
        while !isStopped {
            scan()
            if !hasStarted { started() }
            hasStarted = true
            var hasMore = false
            let looks = system.now - lastLook >= Self.pollInterval
            if looks { lastLook = system.now }
            for flow in flows where flow.mayRead && !flow.needsScan {
                let (isUnfinished, isRewound) = (readRound(flow), checkSaves(flow, looks: looks))
                hasMore = hasMore || isUnfinished || (isRewound && flow.mayRead)
            }
            let hasRoom = makeRoom()
            hasMore = hasMore || hasRoom
            saves.begin()
            removeWatches()
            noteFlows(hasMore: hasMore)
            wait(hasMore: hasMore || flows.contains { $0.needsScan && $0.mayRead })
        }
        saves.waitUntilStored()
        var end = FollowEnd(saved: saves.records)
        for flow in flows { end.add(flow.totals) }
        return end
    }

    /// Tells the observer how far behind each flow is: before it waits, and once a second while it reads.
    private func noteFlows(hasMore: Bool) {
        if hasMore, let lastMetrics, system.now - lastMetrics < Self.pollInterval { return }
        lastMetrics = system.now
        var services: [String: [String: FlowMetrics]] = [:]
        for flow in flows {
            services[flow.store.service.name, default: [:]][flow.flow.stream, default: .init()].add(flow.metrics)
        }
        for (service, flows) in services { observer.note(flows, of: service) }
    }

    /// Flows whose files wait come before those that look for files, and each is the first one in turn: they share the room.
    private func scan() {
        let due = flows.filter { $0.mayRead && ($0.needsScan || $0.waiting.count > 0) }
        guard !due.isEmpty else { return }
        scans += 1
        let first = scans % due.count
        let inTurn = due[first...] + due[..<first]
        for flow in inTurn.filter({ $0.waiting.count > 0 }) + inTurn.filter({ $0.waiting.count == 0 }) { scan(flow) }
    }

    private func scan(_ flow: FlowFollower) {
        let admitted = flow.admitted
        defer { if flow.admitted > admitted { tellCount(into: flow.flow.stream, of: flow.store.service) } }
        do throws(RecorderError) {
            if flow.needsScan {
                try flow.scan(noticing: noteWritten)
            } else if openFiles.room > 0 {
                try flow.openWaiting(noticing: noteWritten)
            }
            for file in flow.files where file.file == nil && !file.isCompressed && arm(file, of: flow) {
                // It may have grown before.
                if flow.waiting.closed.isEmpty, system.facts(of: file.path, followsLink: true).map(file.differs) ?? true
                {
                    flow.needsScan = true
                }
            }
        } catch {
            flow.stop(because: error)
            (flow.needsScan, flow.hasFailedScan) = (true, true)
        }
    }

    private func tellCount(into stream: String, of service: StreamServiceDescription) {
        let into = flows.filter { $0.flow.stream == stream && $0.store.service.name == service.name }
        // Without those that were deleted, whose last save is on its way.
        let files = into.reduce(0) { $0 + $1.files.count { !$0.isCompressed && $0.state.phase != .finishing(.forget) } }
        observer.tell(.count(files: files, stream: stream, service: service.name))
    }

    // MARK: - reading

    /// Reads a piece of each file that may have more; true if there is more. Of files that were rotated one after the other, a
    /// later one is read once an earlier one is at its end.
    private func readRound(_ flow: FlowFollower) -> Bool {
        var unfinished: Set<String> = []
        for file in flow.files where file.state.mayHaveUnreadBytes && file.failure == nil {
            guard !unfinished.contains(file.base) else { continue }
            let stored = saves.stored
            let hasMore = read(file, of: flow)
            if hasMore { unfinished.insert(file.base) }
            guard flow.pace.isCareful else { continue }
            saves.waitUntilStored()
            if file.failure != nil { return false }
            if saves.stored > stored { flow.goOn(isAtEnd: !hasMore) }
        }
        return !unfinished.isEmpty
    }

    /// Reads a piece; true if there is more.
    private func read(_ file: FollowedFile, of flow: FlowFollower) -> Bool {
        arm(file, of: flow)
        let before = file.counts
        let (reading, bytes) = file.read(atMost: flow.pace.pieceSize, save(of: file, in: flow))
        flow.readBytes += bytes
        if case .lines = reading { delay.note(bytes: file.unreadBytes) }
        delay.note(bytes: bytes)
        observer.countGivenUp(file.counts.givenUp - before.givenUp, of: flow.store.service.name)
        observer.tell(.counted(file.path, file.counts, before: before, flow.flow.rules))
        switch reading {
        case .lines:
            handle(.read(.more(grew: bytes > 0)), of: file, in: flow)
            return true
        case .end: handle(.read(.end(grew: bytes > 0, isAhead: file.isAheadOfPosition)), of: file, in: flow)
        case .truncated: return readTruncated(file, of: flow)
        case .failed(EBADMSG) where file.isCompressed:
            observer.tell(.notFollowed(file.path, .damaged))
            handle(.read(.end(grew: false, isAhead: file.isAheadOfPosition)), of: file, in: flow)
        case .failed: fail(file, of: flow)
        }
        return false
    }

    /// Gives up an open file that cannot be read.
    private func fail(_ file: FollowedFile, of flow: FlowFollower) {
        observer.tell(.notFollowed(file.path, .unreadable(file.file?.error ?? 0)))
        if file.isDeleted { handle(.missing, of: file, in: flow) }
        handle(.read(.failed), of: file, in: flow)
        if file.state.mayHaveUnreadBytes { file.file?.forgetError() }
    }

    /// True if what follows the stored lines is to be read again.
    private func readTruncated(_ file: FollowedFile, of flow: FlowFollower) -> Bool {
        // What was read before may still be on its way.
        saves.waitUntilStored()
        guard file.failure == nil, let open = file.file else { return false }
        let holdsStoredLines = file.holdsStoredLines(in: open)
        guard open.error == 0 else {
            fail(file, of: flow)
            return false
        }
        let wasAllocated = file.endsInNUL && flow.flow.rules.delimiter != 0
        guard holdsStoredLines || wasAllocated && file.storedPosition.offset == 0 else {
            handle(.read(.replaced), of: file, in: flow)
            return false
        }
        // Only what follows the stored lines was written anew, such as a line without its end.
        if !wasAllocated {
            flow.truncations += 1
            observer.tell(.incomplete(.cutOff(file.storedPosition)))
        }
        handle(.read(.cutOff), of: file, in: flow)
        return true
    }

    /// Asks for one event of a file: before it is read, or while it is closed. False if it is asked for already.
    @discardableResult
    private func arm(_ file: FollowedFile, of flow: FlowFollower) -> Bool {
        guard file.arming == .none else { return false }
        let watch = if let open = file.file { open.watch() } else { system.watch(path: file.path) }
        guard let watch else {
            (file.arming, hasUnwatched) = (.unwatched, true)
            return true
        }
        file.arming = .watched(watch)
        watched[watch, default: []].append((file, flow))
        return true
    }

    /// Removes the watches of files that are not followed any more, and of directories that are not scanned any more.
    private func removeWatches() {
        for flow in flows {
            for file in flow.released {
                guard case .watched(let watch) = file.arming else { continue }
                watched[watch]?.removeAll { $0.0 === file }
                guard watched[watch]?.isEmpty == true else { continue }
                watched[watch] = nil
                system.unwatch(watch, of: .contents)
            }
            flow.released = []
        }
        let directories = flows.reduce(into: Set()) { $0.formUnion($1.watches) }
        guard directories != watchedDirectories else { return }
        for watch in watchedDirectories.subtracting(directories) { system.unwatch(watch, of: .names) }
        watchedDirectories = directories
    }

    // MARK: - events and actions

    func handle(_ event: FileState.Event, of file: FollowedFile, in flow: FlowFollower) {
        for action in file.handle(event) { perform(action, on: file, in: flow) }
    }

    private func perform(_ action: FileState.Action, on file: FollowedFile, in flow: FlowFollower) {
        switch action {
        // Once all are opened that wait, there is another scan.
        case .scan: for flow in flows where flow.waiting.count == 0 { flow.needsScan = true }
        case .compare:
            guard !flow.mayBeRenamed(originalOf: file) else {
                flow.needsScan = true
                return
            }
            flow.compare(file)
            // Where it begins is stored before more of it is: otherwise that would overwrite a later position.
            if !flow.resets.isEmpty { flow.needsScan = true }
        case .close:
            file.close()
            guard file.mayHaveMore else { break }
            if flow.waiting.count == 0 { flow.needsScan = true }
            // Before a new file that waits, and may be a copy of it.
            if flow.waiting.hasCopy(of: file) { flow.waiting.closed.append((file, nil)) }
        case .storePosition(let isFinished): storePosition(of: file, in: flow, isFinished: isFinished)
        case .endRecord: file.endRecord(save(of: file, in: flow))
        case .endLine: file.endLine(save(of: file, in: flow))
        case .forget(let writers):
            let position = file.currentPosition(isFinished: true).gone
            saves.save(PayloadList(), of: file, to: flow, .init(stored: [position]), at: position)
            observer.tell(.reading(file.path, .deleted(position, writers)))
        case .tellLeft: observer.tell(.reading(file.path, .moved(unfinished: file.unreadBytes)))
        case .goBack: file.goBack()
        case .startOver: flow.startOver(file)
        case .drop: flow.end(file)
        case .putBack: flow.putBack(file)
        case .setAside:
            file.close(isRead: false)
            flow.needsRescan = true
        case .open, .skip: preconditionFailure("only a scan opens a file, or takes it for a copy")
        }
    }

    private func save(of file: FollowedFile, in flow: FlowFollower) -> (PayloadList, FilePosition) -> Void {
        { [saves] payloads, position in
            flow.readRecords += payloads.ranges.count
            saves.save(payloads, of: file, to: flow, .init(stored: [position]), at: position)
        }
    }

    private func storePosition(of file: FollowedFile, in flow: FlowFollower, isFinished: Bool) {
        let position = file.currentPosition(isFinished: isFinished)
        if file.isCompressed, isFinished { observer.tell(.reading(file.path, .decompressed(end: position.offset))) }
        guard !file.isPositionStored || file.storedPosition != position else { return }
        saves.save(PayloadList(), of: file, to: flow, .init(stored: [position]), at: position)
    }

    /// Handles what became of saves, and what time changes; true if a file is to be read again. `looks`: also whether files are
    /// copies.
    private func checkSaves(_ flow: FlowFollower, looks: Bool) -> Bool {
        var isRewound = false
        let othersWait = openFiles.room == 0 && flows.contains { $0.waiting.count > 0 }
        for file in flow.files where file.state.isOpen && !file.hasSavesUnderWay {
            if let failure = file.failure {
                flow.stop(because: failure)
                handle(.failed, of: file, in: flow)
                isRewound = true
                continue
            }
            handle(.saved(isStored: file.isPositionStored), of: file, in: flow)
            let mayLook = file.state.phase == .undecided ? looks : file.state.needsLook || file.holdsRecord
            if mayLook, !file.hasSavesUnderWay {
                handle(.looked(file.look(othersWait: othersWait)), of: file, in: flow)
            }
        }
        return isRewound
    }

    /// Closes files, if others wait to be opened: those that are read to their ends; without one, those that were open for longest;
    /// without one, those that may be copies. None that has no name to be opened by again. True if new ones can be opened at
    /// once; what was added to others waits a little, to be read together.
    private func makeRoom() -> Bool {
        let waiting = flows.reduce(0) { $0 + $1.waiting.count }
        guard waiting > 0 else { return false }
        observer.tell(.turns(limit: openFiles.limit, descriptors: openFiles.descriptors))
        let hasNew = flows.contains { $0.mayRead && !$0.waiting.new.isEmpty }
        guard openFiles.room == 0 else { return hasNew }
        let open = flows.flatMap { flow in flow.files.filter { $0.state.isOpen }.map { ($0, flow) } }
        // A record that waits for its next line ends soon, unless lines are added all the time.
        let held = system.now - FileState.idleTime
        let read = open.filter { file, _ in
            file.state.isRead && file.hasName && (!file.holdsRecord || file.opened < held)
        }
        let long = system.now - Self.pollInterval
        func old(_ isMeant: (FileState) -> Bool) -> [(FollowedFile, FlowFollower)] {
            open.filter { file, _ in isMeant(file.state) && file.hasName && file.opened < long }
        }
        var busy = read.isEmpty ? old(\.mayGiveWay) : []
        if read.isEmpty, busy.isEmpty { busy = old { $0.phase == .undecided } }
        // One may be opened again before its copy.
        let most = max(min(waiting, read.isEmpty ? openFiles.limit / 2 + 1 : read.count), hasNew ? 2 : 1)
        for (file, flow) in (read + busy).sorted(by: { $0.0.opened < $1.0.opened }).prefix(most) {
            handle(.needed, of: file, in: flow)
        }
        guard hasNew, !read.isEmpty else { return false }
        saves.waitUntilStored()
        return true
    }
}
