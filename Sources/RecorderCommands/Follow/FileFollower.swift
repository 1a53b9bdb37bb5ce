import FileFollowing
import Glibc
import LineRecords
import RecorderConcurrency
import RecorderEngine

/// Follows the files of any number of flows, on one thread, until a signal.
struct FileFollower: Sendable {
    private let targets: [FileFlowTarget]
    private let console: Console
    private let stop: StopSignal
    private let metrics: RunMetrics?
    private let started: @Sendable () -> Void

    /// `started` is called when the files that exist are known, and changes of their directories are watched.
    init(
        _ targets: [FileFlowTarget],
        console: Console,
        stop: StopSignal,
        metrics: RunMetrics? = nil,
        started: @escaping @Sendable () -> Void = {}
    ) {
        self.targets = targets
        self.console = console
        self.stop = stop
        self.metrics = metrics
        self.started = started
    }

    /// Returns once everything that was read is stored.
    func run() async throws(CommandFailure) -> FollowEnd {
        ProcessSetup.keepFreedMemory()
        // Sent if somebody opens a deleted file, by its number, in the moment in which this process asks who has it open.
        _ = signal(SIGIO, SIG_IGN)
        return try await CommandFailure.onNewThread(named: "recorder-follow") {
            FollowLoop(targets, console: console, stop: stop, metrics: metrics).run(started: started)
        }
    }
}

/// The loop of the follower's thread: looks for files, reads a piece of each in turn, and waits for changes.
final class FollowLoop {
    private let flows: [FlowFollower]
    private let log: FollowLog
    private let stop: StopSignal
    private let metrics: RunMetrics?
    /// When the metrics were told of the flows last.
    private var lastMetrics: ContinuousClock.Instant?
    private let directories = FileWatcher()
    private let contents = FileWatcher()
    private let saves = FollowSaves()
    private let openFiles = OpenFiles()
    /// The files that are watched for one event.
    private var watched: [FileWatcher.Watch: [(FollowedFile, FlowFollower)]] = [:]
    /// When files were last looked at that may be copies.
    private var lastLook = ContinuousClock.now - pollInterval
    /// When files were last read because they had changed.
    private var lastChange = ContinuousClock.now - steadyWait

    /// How often files are looked at for which there are no events.
    private static let pollInterval = Duration.seconds(1)
    private static let scanInterval = Duration.seconds(60)
    /// How long lines wait in their file before they are read, so that many are stored together: the first ones, and those that
    /// are written all the time. A crash loses none of them, they are in the file.
    private static let (firstWait, steadyWait) = (Duration.milliseconds(250), Duration.seconds(1))
    /// The time for the steps of one rotation.
    private static let rotation = Duration.milliseconds(10)

    init(_ targets: [FileFlowTarget], console: Console, stop: StopSignal, metrics: RunMetrics?) {
        self.stop = stop
        self.metrics = metrics
        let log = FollowLog(console)
        self.log = log
        var claims: [ObjectIdentifier: FileClaims] = [:]
        let directory = Files.workingDirectory
        let openFiles = openFiles
        flows = targets.map { target in
            let pipeline = ObjectIdentifier(target.pipeline)
            let shared = claims[pipeline] ?? target.pipeline.fileClaims()
            claims[pipeline] = shared
            return FlowFollower(target, claims: shared, openFiles: openFiles, directory: directory, log: log)
        }
    }

    func run(started: () -> Void) -> FollowEnd {
        var hasStarted = false
        while stop.number == nil {
            for flow in flows where flow.needsScan && flow.mayRead { scan(flow) }
            if !hasStarted { started() }
            hasStarted = true
            var hasMore = false
            let looks = ContinuousClock.now - lastLook >= Self.pollInterval
            if looks { lastLook = .now }
            for flow in flows where flow.mayRead && !flow.needsScan {
                let (isUnfinished, isRewound) = (readRound(flow), checkSaves(flow, looks: looks))
                hasMore = hasMore || isUnfinished || (isRewound && flow.mayRead)
            }
            makeRoom()
            saves.begin()
            noteFlows(hasMore: hasMore)
            wait(hasMore: hasMore || flows.contains { $0.needsScan && $0.mayRead })
        }
        saves.waitUntilStored()
        var end = FollowEnd(saved: saves.records)
        for flow in flows { end.add(flow.totals) }
        return end
    }

    /// Tells the metrics how far behind each flow is: before it waits, and once a second while it reads.
    private func noteFlows(hasMore: Bool) {
        guard let metrics else { return }
        if hasMore, let lastMetrics, ContinuousClock.now - lastMetrics < Self.pollInterval { return }
        lastMetrics = .now
        var services: [String: [String: RunMetrics.Flow]] = [:]
        for flow in flows {
            services[flow.pipeline.service.name, default: [:]][flow.flow.stream, default: .init()].add(flow.metrics)
        }
        for (service, flows) in services { metrics.note(flows, of: service) }
    }

    private func scan(_ flow: FlowFollower) {
        do throws(RecorderError) {
            try flow.scan(directories)
            for file in flow.files where file.descriptor == nil && arm(file, of: flow) {
                // It may have grown before.
                if !flow.hasWaiting, FileFacts(file.path, followsLink: true).map(file.differs) ?? true {
                    flow.needsScan = true
                }
            }
        } catch {
            flow.stop(because: error)
            flow.needsScan = true
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
            guard flow.isCareful else { continue }
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
        let (reading, bytes) = file.read(atMost: flow.pieceSize, save(of: file, in: flow))
        flow.readBytes += bytes
        let (counts, limit) = (file.counts, flow.flow.rules.maximumRecordBytes)
        if before.withoutKey == 0, counts.withoutKey > 0 { log.tellWithoutKey(counts, of: file.path, flow.flow.rules) }
        if before.withoutFields == 0, counts.withoutFields > 0 { log.tellWithoutFields(counts, of: file.path) }
        metrics?.countGivenUp(counts.givenUp - before.givenUp, of: flow.pipeline.service.name)
        if before.givenUp == 0, counts.givenUp > 0 { log.tellGivenUp(counts, of: file.path) }
        if counts.refusedCount > before.refusedCount { log.tellRefused(counts, of: file.path, over: limit) }
        if counts.cutCount > before.cutCount { log.tellCut(counts, of: file.path, over: limit) }
        switch reading {
        case .lines:
            handle(.read(.more(grew: bytes > 0)), of: file, in: flow)
            return true
        case .end: handle(.read(.end(grew: bytes > 0, isAhead: file.isAheadOfPosition)), of: file, in: flow)
        case .truncated: return readTruncated(file, of: flow)
        case .failed(let number):
            log.tell("\(file.path) cannot be read: \(errorText(number)).", about: file.path)
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
        log.tellCutOff(file.path, at: file.storedPosition.offset)
        handle(.read(.cutOff), of: file, in: flow)
        return true
    }

    /// Asks for one event of a file: before it is read, or while it is closed. False if it is asked for already.
    @discardableResult
    private func arm(_ file: FollowedFile, of flow: FlowFollower) -> Bool {
        guard !file.isArmed else { return false }
        file.isArmed = true
        let watch =
            file.descriptor.map { contents.watch(file: $0, isRemote: file.isRemote) }
            ?? contents.watch(file: file.path)
        if let watch { watched[watch, default: []].append((file, flow)) }
        return true
    }

    // MARK: - events and actions

    private func handle(_ event: FileState.Event, of file: FollowedFile, in flow: FlowFollower) {
        for action in file.handle(event) { perform(action, on: file, in: flow) }
    }

    private func perform(_ action: FileState.Action, on file: FollowedFile, in flow: FlowFollower) {
        switch action {
        case .scan: for flow in flows { flow.needsScan = true }
        case .compare: flow.compare(file)
        case .close: file.close()
        case .storePosition(let isFinished): storePosition(of: file, in: flow, isFinished: isFinished)
        case .endRecord: file.endRecord(save(of: file, in: flow))
        case .endLine: file.endLine(save(of: file, in: flow))
        case .forget(let writers):
            saves.save(PayloadList(), of: file, to: flow, .init(forgotten: [file.position.id]), at: file.position)
            if file.isCompressed {
                log.tellDecompressed(file.path, at: file.position.offset)
            } else {
                log.tellDeleted(file.path, at: file.position.offset, writers: writers)
            }
        case .tellLeft: log.tellLeft(file.path)
        case .goBack: file.goBack()
        case .startOver: flow.startOver(file)
        case .drop: flow.end(file)
        case .open, .skip: preconditionFailure("only a scan opens a file, or takes it for a copy")
        }
    }

    private func save(of file: FollowedFile, in flow: FlowFollower) -> (PayloadList, FilePosition) -> Void {
        { [saves] in saves.save($0, of: file, to: flow, .init(stored: [$1]), at: $1) }
    }

    private func storePosition(of file: FollowedFile, in flow: FlowFollower, isFinished: Bool) {
        let position = file.currentPosition(isFinished: isFinished)
        guard !file.isPositionStored || file.storedPosition != position else { return }
        saves.save(PayloadList(), of: file, to: flow, .init(stored: [position]), at: position)
    }

    /// Handles what became of saves, and what time changes; true if a file is to be read again. `looks`: also whether files are copies.
    private func checkSaves(_ flow: FlowFollower, looks: Bool) -> Bool {
        var isRewound = false
        for file in flow.files where file.state.isOpen && !file.hasSavesUnderWay {
            if let failure = file.failure {
                flow.stop(because: failure)
                handle(.failed, of: file, in: flow)
                isRewound = true
                continue
            }
            handle(.saved(isStored: file.isPositionStored), of: file, in: flow)
            let mayLook = file.state.phase == .undecided ? looks : file.state.needsLook || file.holdsRecord
            if mayLook, !file.hasSavesUnderWay { handle(.looked(file.look), of: file, in: flow) }
        }
        return isRewound
    }

    /// Closes files, if others wait to be opened: those that are read to their ends, or those that were open for longest.
    private func makeRoom() {
        let waiting = flows.filter(\.hasWaiting)
        guard !waiting.isEmpty else { return }
        log.tellTurns(openFiles)
        if openFiles.hasRoom {
            for flow in waiting { flow.needsScan = true }
            return
        }
        let open = flows.flatMap { flow in flow.files.filter { $0.state.isOpen }.map { ($0, flow) } }
        let read = open.filter { file, _ in file.state.isRead }
        let long = ContinuousClock.now - Self.pollInterval
        let busy = read.isEmpty ? open.filter { file, _ in file.state.mayHaveUnreadBytes && file.opened < long } : []
        for (file, flow) in (read + busy).sorted(by: { $0.0.opened < $1.0.opened }).prefix(openFiles.limit / 2 + 1) {
            handle(.needed, of: file, in: flow)
        }
    }

    // MARK: - waiting

    /// How long to wait for events; what has none is looked at after that.
    private var timeout: Duration {
        let lastScan = flows.map(\.lastScan).min() ?? .now
        var timeout = max(Self.scanInterval - (.now - lastScan), .zero)
        let files = flows.lazy.flatMap(\.files).filter { $0.descriptor != nil }
        let hasPending = files.contains { $0.state.isPending || $0.holdsRecord } || flows.contains(where: \.hasWaiting)
        if hasPending || directories.needsPolling || contents.needsPolling || flows.contains(where: \.needsRescan) {
            timeout = min(timeout, Self.pollInterval)
        }
        for pause in flows.compactMap(\.pause) where !pause.isOver { timeout = min(timeout, pause.end - .now) }
        return max(timeout, .zero)
    }

    private func wait(hasMore: Bool) {
        let timeout = hasMore ? .zero : timeout
        let ready = poll([stop.descriptor, directories.readable, contents.readable, saves.failed], timeout)
        if ready.contains(contents.readable), !hasMore {
            let isSteady = ContinuousClock.now - lastChange < Self.steadyWait
            let wait = isSteady ? Self.steadyWait : Self.firstWait
            if poll([stop.descriptor, directories.readable], wait).contains(directories.readable) {
                pauseForRotation()
            }
            lastChange = .now
        } else if ready.contains(directories.readable) {
            pauseForRotation()
        }
        if ready.contains(saves.failed) { saves.takeFailures() }
        if !hasMore || ready.contains(contents.readable) { takeContentChanges() }
        takeDirectoryChanges()
    }

    private func pauseForRotation() {
        _ = poll([stop.descriptor], Self.rotation)
    }

    private func takeContentChanges() {
        let changes = contents.changes()
        if contents.needsPolling || changes == nil {
            for flow in flows {
                for file in flow.files where file.state.isOpen { handle(.changed, of: file, in: flow) }
            }
        }
        for watch in changes ?? Set(watched.keys) {
            for (file, flow) in watched.removeValue(forKey: watch) ?? [] {
                file.isArmed = false
                handle(.changed, of: file, in: flow)
            }
        }
    }

    private func takeDirectoryChanges() {
        let changes = directories.changes()
        let interval = directories.needsPolling ? Self.pollInterval : Self.scanInterval
        for flow in flows {
            let isDue = ContinuousClock.now - flow.lastScan >= (flow.needsRescan ? Self.pollInterval : interval)
            if isDue { flow.lastScan = .now }
            if changes.map({ !$0.isDisjoint(with: flow.watches) }) ?? true || isDue { flow.needsScan = true }
        }
    }

    /// The descriptors that are readable.
    private func poll(_ descriptors: [Int32], _ timeout: Duration) -> Set<Int32> {
        var waited = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = (timeout / .milliseconds(1)).rounded(.up)
        guard unsafe Glibc.poll(&waited, nfds_t(waited.count), Int32(milliseconds)) > 0 else { return [] }
        return Set(waited.filter { $0.revents != 0 }.map(\.fd))
    }
}
