import LineRecords
import RecorderStore

/// The loop of the follower's thread: looks for files, reads a piece of each in turn, and waits for changes.
package final class FollowLoop {
    private let flows: [FlowFollower]
    private let system: any FileSystem
    private let observer: any FollowObserver
    private var isStopped = false
    /// When the observer was told of the flows last.
    private var lastMetrics: ContinuousClock.Instant?
    private let saves: FollowSaves
    private let openFiles: OpenFiles
    /// The files that are watched for one event.
    private var watched: [Watch: [(FollowedFile, FlowFollower)]] = [:]
    private var watchedDirectories: Set<Watch> = []
    /// When files were last looked at that may be copies.
    private var lastLook: ContinuousClock.Instant
    /// When files were last read because they had changed.
    private var lastChange: ContinuousClock.Instant

    /// How often files are looked at for which there are no events.
    private static let pollInterval = Duration.seconds(1)
    /// How long lines wait in their file before they are read, so that many are stored together: the first ones, and those that
    /// are written all the time. A crash loses none of them, they are in the file.
    private static let (firstWait, steadyWait) = (Duration.milliseconds(250), Duration.seconds(1))
    /// Lines that come fast do not wait so long: if their file is truncated in place, those that were not read are lost.
    private static let (fastWait, fastBytes) = (Duration.milliseconds(100), 32 * 1_024)
    /// What was read since the last wait.
    private var readBytes = 0
    /// The time for the steps of one rotation.
    private static let rotation = Duration.milliseconds(10)

    /// Relative patterns begin in a directory.
    package init(
        _ targets: [FileFlowTarget],
        in directory: String,
        _ system: any FileSystem,
        observer: any FollowObserver
    ) {
        (self.system, self.observer) = (system, observer)
        (lastLook, lastChange) = (system.now - Self.pollInterval, system.now - Self.steadyWait)
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
            for flow in flows where flow.mayRead && (flow.needsScan || flow.waiting.count > 0) { scan(flow) }
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

    private func scan(_ flow: FlowFollower) {
        do throws(RecorderError) {
            if flow.needsScan { try flow.scan() } else if openFiles.room > 0 { try flow.openWaiting() }
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

    // MARK: - reading

    /// Reads a piece of each file that may have more; true if there is more. Of files that were rotated one after the other, a later
    /// one is read once an earlier one is at its end.
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
        readBytes += bytes
        observer.countGivenUp(file.counts.givenUp - before.givenUp, of: flow.store.service.name)
        observer.tell(.counted(file.path, file.counts, before: before, flow.flow.rules))
        switch reading {
        case .lines:
            handle(.read(.more(grew: bytes > 0)), of: file, in: flow)
            return true
        case .end: handle(.read(.end(grew: bytes > 0, isAhead: file.isAheadOfPosition)), of: file, in: flow)
        case .truncated: return readTruncated(file, of: flow)
        case .failed where file.isCompressed:
            observer.tell(.notFollowed(file.path, .damaged))
            handle(.read(.end(grew: false, isAhead: file.isAheadOfPosition)), of: file, in: flow)
        case .failed(let number):
            observer.tell(.notFollowed(file.path, .unreadable(number)))
            handle(.read(.failed), of: file, in: flow)
        }
        return false
    }

    /// True if what follows the stored lines is to be read again.
    private func readTruncated(_ file: FollowedFile, of flow: FlowFollower) -> Bool {
        // What was read before may still be on its way.
        saves.waitUntilStored()
        guard file.failure == nil else { return false }
        guard file.holdsStoredLines else {
            handle(.read(.replaced), of: file, in: flow)
            return false
        }
        // Only what follows the stored lines was written anew, such as a line without its end.
        flow.truncations += 1
        observer.tell(.incomplete(.cutOff(file.storedPosition)))
        handle(.read(.cutOff), of: file, in: flow)
        return true
    }

    /// Asks for one event of a file: before it is read, or while it is closed. False if it is asked for already.
    @discardableResult
    private func arm(_ file: FollowedFile, of flow: FlowFollower) -> Bool {
        guard file.arming == .none else { return false }
        let watch = if let open = file.file { open.watch() } else { system.watch(path: file.path) }
        file.arming = watch.map { .watched($0) } ?? .unwatched
        if let watch { watched[watch, default: []].append((file, flow)) }
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

    private func handle(_ event: FileState.Event, of file: FollowedFile, in flow: FlowFollower) {
        for action in file.handle(event) { perform(action, on: file, in: flow) }
    }

    private func perform(_ action: FileState.Action, on file: FollowedFile, in flow: FlowFollower) {
        switch action {
        // Once all are opened that wait, there is another scan.
        case .scan: for flow in flows where flow.waiting.count == 0 { flow.needsScan = true }
        case .compare:
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

    /// Handles what became of saves, and what time changes; true if a file is to be read again. `looks`: also whether files are copies.
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

    /// Closes files, if others wait to be opened: those that are read to their ends, or those that were open for longest; none that has no
    /// name to be opened by again. True if new ones can be opened at once; what was added to others waits a little, to be read together.
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
        let busy =
            read.isEmpty ? open.filter { file, _ in file.state.mayGiveWay && file.hasName && file.opened < long } : []
        // One may be opened again before its copy.
        let most = max(min(waiting, read.isEmpty ? openFiles.limit / 2 + 1 : read.count), hasNew ? 2 : 1)
        for (file, flow) in (read + busy).sorted(by: { $0.0.opened < $1.0.opened }).prefix(most) {
            handle(.needed, of: file, in: flow)
        }
        guard hasNew, !read.isEmpty else { return false }
        saves.waitUntilStored()
        return true
    }

    // MARK: - waiting

    /// How long to wait for events; what has none is looked at after that.
    private var timeout: Duration {
        var timeout = flows.map { $0.scanInterval - (system.now - $0.lastScan) }.min() ?? Self.pollInterval
        let files = flows.lazy.flatMap(\.files).filter { $0.file != nil }
        let isWaiting = flows.contains { $0.waiting.count > 0 }
        let hasPending = isWaiting || files.contains { $0.state.isPending || $0.holdsRecord }
        if hasPending || system.needsPolling(.names) || system.needsPolling(.contents) {
            timeout = min(timeout, Self.pollInterval)
        }
        for flow in flows {
            if flow.needsRescan { timeout = min(timeout, flow.rescanWait - (system.now - flow.lastScan)) }
            if let end = flow.pace.end, !flow.mayRead { timeout = min(timeout, end - system.now) }
        }
        return max(timeout, .zero)
    }

    private func wait(hasMore: Bool) {
        let timeout = hasMore ? .zero : timeout
        let ready = wait(for: Set(FollowSignal.allCases), atMost: timeout)
        if ready.contains(.contents), !hasMore {
            let isSteady = system.now - lastChange < Self.steadyWait
            let wait = readBytes >= Self.fastBytes ? Self.fastWait : isSteady ? Self.steadyWait : Self.firstWait
            readBytes = 0
            if self.wait(for: [.stop, .names], atMost: wait).contains(.names) {
                pauseForRotation()
            }
            lastChange = system.now
        } else if ready.contains(.names) {
            pauseForRotation()
        }
        if ready.contains(.failedSave) { system.takeFailedSaves() }
        if !hasMore || ready.contains(.contents) { takeContentChanges() }
        takeDirectoryChanges()
    }

    private func pauseForRotation() {
        _ = wait(for: [.stop], atMost: Self.rotation)
    }

    private func takeContentChanges() {
        let changes = system.changes(of: .contents)
        if system.needsPolling(.contents) || changes == nil {
            for flow in flows {
                // Otherwise one that is to be closed would be read again each time, and never be closed.
                for file in flow.files where file.state.isOpen && (!file.state.isFinishing || file.hasGrown) {
                    handle(.changed, of: file, in: flow)
                }
            }
        }
        for watch in (changes ?? Set(watched.keys)).sorted() {
            for (file, flow) in watched.removeValue(forKey: watch) ?? [] {
                file.arming = .none
                handle(.changed, of: file, in: flow)
            }
        }
    }

    private func takeDirectoryChanges() {
        let changes = system.changes(of: .names)
        for flow in flows {
            // Only a scan sees that a closed file has grown, if there are no events.
            let hasUnseen = system.needsPolling(.contents) && flow.files.contains { !$0.state.isOpen }
            let interval =
                system.needsPolling(.names)
                ? Self.pollInterval : hasUnseen ? max(Self.pollInterval, flow.shortestInterval) : flow.scanInterval
            let isDue = system.now - flow.lastScan >= (flow.needsRescan ? flow.rescanWait : interval)
            if isDue { flow.lastScan = system.now }
            if changes.map({ !$0.isDisjoint(with: flow.watches) }) ?? true || isDue { flow.needsScan = true }
        }
    }

    private func wait(for signals: Set<FollowSignal>, atMost time: Duration) -> Set<FollowSignal> {
        let ready = system.wait(for: signals, atMost: time)
        if ready.contains(.stop) { isStopped = true }
        return ready
    }
}
