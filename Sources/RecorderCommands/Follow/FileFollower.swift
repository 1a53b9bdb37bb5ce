import Glibc
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
    /// The files that are watched for one event.
    private var watched: [FileWatcher.Watch: [FollowedFile]] = [:]
    /// When files were last read because they had changed.
    private var lastChange = ContinuousClock.now - steadyWait

    /// How long a deleted file is kept open after its last byte: a program may still write to it.
    private static let deletedWait = Duration.seconds(5)
    /// The same for a file that was rotated away; after that it is looked at again if it changes.
    private static let rotatedWait = Duration.seconds(60)
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
        flows = targets.map { target in
            let pipeline = ObjectIdentifier(target.pipeline)
            let shared = claims[pipeline] ?? target.pipeline.fileClaims()
            claims[pipeline] = shared
            return FlowFollower(target, claims: shared, directory: directory, log: log)
        }
    }

    func run(started: () -> Void) -> FollowEnd {
        Self.allowOpenFiles()
        var hasStarted = false
        while stop.number == nil {
            for flow in flows where flow.needsScan && flow.mayRead { scan(flow) }
            if !hasStarted { started() }
            hasStarted = true
            var hasMore = false
            for flow in flows where flow.mayRead && !flow.needsScan {
                let (isUnfinished, isRewound) = (readRound(flow), checkSaves(flow))
                hasMore = hasMore || isUnfinished || (isRewound && flow.mayRead)
            }
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
        for flow in flows {
            metrics.note(
                flow.flow.stream,
                of: flow.pipeline.service.name,
                isPaused: flow.hasToldPause,
                unreadBytes: flow.unreadBytes
            )
        }
    }

    /// Each followed file is open. The usual soft limit of 1,024 is for programs that call select(2).
    private static func allowOpenFiles() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func scan(_ flow: FlowFollower) {
        do throws(RecorderError) {
            try flow.scan(directories)
            for file in flow.files where file.descriptor == nil && !file.isArmed {
                arm(file)
                // It may have grown before.
                if file.sizeAtPath != file.position.offset { flow.needsScan = true }
            }
        } catch {
            flow.stop(because: error)
            flow.needsScan = true
        }
    }

    // MARK: - reading

    /// Reads a piece of each file that has news; true if there is more. Of files that were rotated one after the other, a later
    /// one is read once an earlier one is at its end.
    private func readRound(_ flow: FlowFollower) -> Bool {
        var unfinished: Set<String> = []
        for file in flow.files where file.hasNews && file.failure == nil && !file.isEnding {
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
        arm(file)
        let before = file.counts
        let reading = file.read(atMost: flow.pieceSize) {
            saves.save($0, of: file, to: flow, .init(stored: [$1]), at: $1)
        }
        let (counts, limit) = (file.counts, flow.flow.recordLimit)
        if before.withoutKey == 0, counts.withoutKey > 0 { log.tellWithoutKey(counts, of: file.path, flow.flow.rules) }
        if counts.refusedCount > before.refusedCount { log.tellRefused(counts, of: file.path, over: limit) }
        if counts.cutCount > before.cutCount { log.tellCut(counts, of: file.path, over: limit) }
        switch reading {
        case .lines: return true
        case .end:
            file.hasNews = false
            if file.isAheadOfPosition { storePosition(of: file, flow) }
            return false
        case .truncated:
            // What was read before may still be on its way.
            saves.waitUntilStored()
            guard !file.holdsStoredLines else {
                // Only what follows the stored lines was written anew, such as a line without its end.
                log.tellCutOff(file.path, at: file.storedPosition.offset)
                if file.failure == nil { file.rewind() }
                return file.hasNews
            }
            flow.restart(file)
            return false
        case .failed(let number):
            log.tell("\(file.path) cannot be read: \(Files.message(of: number)).", about: file.path)
            return false
        }
    }

    private func storePosition(of file: FollowedFile, _ flow: FlowFollower, isFinished: Bool = false) {
        let position = file.currentPosition(isFinished: isFinished)
        saves.save(PayloadList(), of: file, to: flow, .init(stored: [position]), at: position)
    }

    /// Asks for one event of a file: before it is read, or while it is at rest.
    private func arm(_ file: FollowedFile) {
        guard !file.isArmed else { return }
        file.isArmed = true
        let watch =
            file.descriptor.map { contents.watch(file: $0, isRemote: file.isRemote) }
            ?? contents.watch(file: file.path)
        if let watch { watched[watch, default: []].append(file) }
    }

    // MARK: - files that are not read on

    /// Handles failed saves, and files that are at rest or gone; true if a file is to be read again.
    private func checkSaves(_ flow: FlowFollower) -> Bool {
        var isRewound = false
        for file in flow.files where !file.hasSavesUnderWay {
            if let failure = file.failure {
                flow.stop(because: failure)
                file.isEnding = false
                file.rewind()
                isRewound = true
            } else if file.isEnding {
                file.isEnding = false
                if file.isGone {
                    flow.end(file)
                } else if !file.hasNews {
                    file.rest()
                }
            } else if !file.isPositionStored {
                storePosition(of: file, flow)
            } else if !file.hasNews, file.descriptor != nil {
                checkIdle(file, flow)
            }
        }
        return isRewound
    }

    private func checkIdle(_ file: FollowedFile, _ flow: FlowFollower) {
        let idle = ContinuousClock.now - file.lastGrowth
        let save: (PayloadList, FilePosition) -> Void = { [saves] in
            saves.save($0, of: file, to: flow, .init(stored: [$1]), at: $1)
        }
        if file.holdsRecord, idle >= RecordRules.multilineWait { file.endRecord(save) }
        guard file.relation != .matches, idle >= Self.deletedWait else { return }
        // A file that is deleted is found under no name by the next scan.
        let isDeleted = (file.relation == nil || idle >= Self.rotatedWait) && file.isDeleted
        guard isDeleted || idle >= Self.rotatedWait else { return }
        guard !file.hasGrown else {
            file.hasNews = true
            return
        }
        if isDeleted || file.relation == nil {
            // Its last line ends with it.
            file.finish(save)
            if file.isDeleted {
                saves.save(PayloadList(), of: file, to: flow, .init(forgotten: [file.position.id]), at: file.position)
            } else {
                // It may come back.
                storePosition(of: file, flow, isFinished: true)
                log.tellLeft(file.path)
            }
            (file.isGone, file.isEnding) = (true, true)
        } else if !file.isWithinLine, !file.holdsRecord {
            storePosition(of: file, flow, isFinished: true)
            file.isEnding = true
        }
    }

    // MARK: - waiting

    /// How long to wait for events; what has none is looked at after that.
    private var timeout: Duration {
        let lastScan = flows.map(\.lastScan).min() ?? .now
        var timeout = max(Self.scanInterval - (.now - lastScan), .zero)
        let files = flows.lazy.flatMap(\.files).filter { $0.descriptor != nil }
        let hasPending = files.contains { $0.relation != .matches || $0.holdsRecord || $0.isEnding }
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
            for file in flows.lazy.flatMap(\.files) where file.descriptor != nil { file.hasNews = true }
        }
        for watch in changes ?? Set(watched.keys) {
            for file in watched.removeValue(forKey: watch) ?? [] {
                file.isArmed = false
                file.hasNews = true
                if file.descriptor == nil { for flow in flows { flow.needsScan = true } }
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
