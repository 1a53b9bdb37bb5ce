import RecorderStore

/// One flow while it is followed: its files, each claimed from other processes. Used by the follower's thread only.
final class FlowFollower {
    let flow: FileFlow
    let store: any FollowStore
    let saved: @Sendable () -> Void
    let observer: any FollowObserver
    let patterns: [FilePattern]
    /// Of its files, and of those that wait to be opened.
    var claims: FlowClaims
    let boot: String

    /// In the order in which they are read: those that were rotated away come first.
    private(set) var files: [FollowedFile] = []
    /// How many there have ever been.
    private(set) var admitted = 0
    /// What is known of files that were truncated or are gone.
    var gone = GonePositions()
    /// Whether files may have been copied since the scan that found that their originals were truncated or are gone.
    var mayMissCopies = false
    /// Whether the last one could not be stored.
    var hasFailedScan = false
    /// How much is read at a time, and whether anything is now.
    private(set) var pace = ReadingPace()
    /// The paths of files that were not rotated, at which there was no link.
    private var plainPaths: Set<String> = []
    /// Positions that are stored with the next scan: those of copies that are read on, and of files that are gone.
    var resets: [FilePosition] = []
    /// What an earlier scan could not store. Its files are open, but not read before it is stored.
    private var unstored = FilePositionChanges()
    /// How many files may be open, and are; all flows together.
    let openFiles: OpenFiles
    var system: any FileSystem { openFiles.system }
    /// The files of the last scan that wait until others are closed.
    var waiting = WaitingFiles()
    /// Files that a scan did not find, or that could not be opened, before they were read; until one says that they are gone.
    var missed: [(pattern: FilePattern, file: FoundFile)] = []
    /// Files that were opened in place of others since the last scan began. They may be gone before one finds them.
    var glimpsed: [(pattern: FilePattern, file: FoundFile)] = []
    /// Those that are not followed any more, until their watches are removed.
    var released: [FollowedFile] = []
    /// Whether a scan is due when its directories change.
    var needsScan = true
    /// When it was scanned last, or became due.
    var lastScan: ContinuousClock.Instant
    /// Whether files may appear or be freed without an event: a directory is missing, another process reads a file.
    var needsRescan = false
    /// How soon it is scanned again then: ever later, as a link may dangle for ever.
    private(set) var rescanWait = shortestRescan
    private static let (shortestRescan, longestRescan) = (Duration.seconds(1), Duration.seconds(8))
    /// How soon it may be scanned again at rest, so that this takes a hundredth of the time at most.
    private(set) var shortestInterval = Duration.zero
    /// How soon it is scanned again if nothing says that a name changed.
    var scanInterval: Duration { max(.seconds(60), shortestInterval) }
    /// The directories that were watched by the last scan.
    private(set) var watches: Set<Watch> = []
    /// Whether one of them could not be.
    private(set) var isUnwatched = false
    /// For the metrics.
    var (readBytes, readRecords) = (0, 0)
    var (copies, truncations, incompleteFiles) = (0, 0, 0)
    /// The counts of files that are not followed any more.
    private var ended = FollowEnd()
    /// The patterns whose files have been followed before.
    private var marked: Set<[UInt8]> = []

    init(
        _ target: FileFlowTarget,
        claims: FileClaims,
        openFiles: OpenFiles,
        directory: String,
        observer: any FollowObserver
    ) {
        self.openFiles = openFiles
        lastScan = openFiles.system.now
        flow = target.flow
        store = target.store
        saved = target.saved
        self.claims = FlowClaims(claims, stream: target.flow.stream)
        self.observer = observer
        patterns = target.flow.filePatterns(in: directory)
        boot = openFiles.system.bootID
    }

    // MARK: - scan

    /// Looks for files that are new, renamed or gone. If the store cannot be written, new files are kept open meanwhile.
    /// `noticing` takes the events of files so far: a closed one may have been written to, and be gone.
    func scan(noticing: () -> Void) throws(RecorderError) {
        lastScan = system.now
        let (earlierWatches, wasDue) = (watches, needsRescan)
        (needsScan, needsRescan) = (false, false)
        (watches, isUnwatched) = ([], false)
        // A scan says nothing of what it is older than.
        let glimpsed = glimpsed
        self.glimpsed = []
        let scans = patterns.map { PatternScan($0, in: system) }
        noticing()
        var admission = FileAdmission(scans, stream: flow.stream, unstored: unstored)
        try find(scans, beside: glimpsed, into: &admission)
        // Before the position of an original that was truncated or is gone is forgotten. One that was renamed meanwhile is found
        // again first.
        for file in files where file.state.phase == .undecided && !needsScan { compare(file) }
        // Some file systems have events of this machine's writes only, and do not say so.
        for file in files where file.state.isRead && file.hasOtherSize { _ = file.handle(.changed) }
        try store(&admission)
        plainPaths.formIntersection(scans.flatMap(\.files).map(\.path) + files.map(\.path))
        let isSame = admission.files.isEmpty && watches == earlierWatches
        rescanWait = (needsRescan || wasDue) && isSame ? min(rescanWait * 2, Self.longestRescan) : Self.shortestRescan
        // A file may have appeared before its directory was watched.
        if watches != earlierWatches { needsScan = true }
        shortestInterval = (system.now - lastScan) * 100
        if hasFailedScan { goOn() }
        hasFailedScan = false
    }

    /// Finds files, and what has become of others.
    private func find(
        _ scans: [PatternScan],
        beside glimpsed: [(pattern: FilePattern, file: FoundFile)],
        into admission: inout FileAdmission
    ) throws(RecorderError) {
        // A file may be renamed so that another pattern fits.
        let found = Dictionary(scans.flatMap { $0.files + $0.compressed }.map { ($0.key, $0) }) { first, _ in first }
        let held = findLayered(found, into: &admission)
        var known = held.union(files.map(\.key))
        let waited = waiting.new.flatMap(\.files)
        for (scan, files) in waiting.new { missed += files.map { (scan.pattern, $0) } }
        miss(glimpsed + notePassed(scans))
        missed.removeAll { found[$0.file.key] != nil }
        waiting = WaitingFiles()
        for (pattern, scan) in zip(patterns, scans) {
            let own = scan.directories.sorted().map { system.watch(directory: $0) }
            watches.formUnion(own.compactMap(\.self))
            isUnwatched = isUnwatched || own.contains(nil)
            for (path, problem) in scan.problems { observer.tell(.notFollowed(path, .problem(problem))) }
            needsRescan = needsRescan || scan.isIncomplete || !scan.isStable
            update(files.filter { $0.position.isOf(pattern) }, by: scan, found: found, into: &admission)
        }
        for (pattern, scan) in zip(patterns, scans) {
            let new = (scan.files + rotated(scan)).filter { known.insert($0.key).inserted }
            let claimed = claim(new)
            if !claimed.isEmpty || !marked.contains(pattern.bytes) { waiting.new.append((scan, claimed[...])) }
        }
        for file in waited { claims.release(file.key) }
        openClosed()
        guard !waiting.new.isEmpty || !missed.isEmpty else { return }
        // All until a scan is stored: damage may have given a position to another stream.
        try admission.readPositions(of: marked.isEmpty ? nil : flow.stream, in: store, except: files)
        if marked.isEmpty { gone = GonePositions(stored: admission.gone) }
        for scan in scans where scan.isStable { missGone(in: scan, found: found, into: &admission) }
        for (scan, _) in waiting.new where scan.files.isEmpty { observer.tell(.noFile(pattern: scan.pattern.text)) }
        if waiting.newCount > openFiles.room {
            for index in waiting.new.indices { waiting.new[index].files = admission.inOrder(waiting.new[index].files) }
        }
        admitWaiting(into: &admission)
    }

    /// Finds files that are open, and were copied to another layer of a container: the copies, which have their inodes, are read
    /// on where these ended. Returns the files that wait until these are read to their ends and stored: the copies, and copies of
    /// those.
    private func findLayered(_ found: [FileKey: FoundFile], into admission: inout FileAdmission) -> Set<FileKey> {
        var held: Set<FileKey> = []
        let inodes = Dictionary(found.keys.map { ([$0.device, $0.inode], $0) }) { first, _ in first }
        for file in files where file.state.isOpen && !file.isCompressed {
            guard let other = inodes[[file.key.device, file.key.inode]], other.hasInode(of: file.key) else { continue }
            if file.isBehind {
                held.formUnion(found.filter { $0.key == other || $0.value.base == file.base }.keys)
            } else {
                admission.below[other] = file
            }
        }
        needsRescan = needsRescan || !held.isEmpty
        return held
    }

    /// Takes over the files of a scan, and stores their positions.
    func store(_ admission: inout FileAdmission) throws(RecorderError) {
        // Some were deleted before they were read.
        files += admission.files.filter { $0.state.phase != .ended }
        assert(claims.count == files.count + waiting.newCount, "a file is not claimed once")
        admitted += admission.files.count
        marked.formUnion(admission.marks)
        unstored = admission.changes
        (admission.files, admission.changes) = ([], FilePositionChanges())
        waiting.admission = waiting.new.isEmpty ? FileAdmission() : admission
        var changes = unstored
        // New files that wait may be copies, and so may those that the scan did not see.
        let isSettled = waiting.new.isEmpty && !mayMissCopies
        let replaced = isSettled ? files.filter { $0.state.phase == .replaced } : []
        changes.stored += resets + replaced.map(\.position)
        if !gone.forgotten.isEmpty {
            // A file may be there again, or have the id of one that is gone.
            let forgotten = Set(gone.forgotten).subtracting(files.map(\.position.id))
            changes.stored.removeAll { $0.isGone && forgotten.contains($0.id) }
            changes.forgotten += forgotten
        }
        if isSettled { tellTruncations() }
        if !changes.stored.isEmpty || !changes.forgotten.isEmpty {
            try store.saveNow(changes, stream: flow.stream)
        }
        gone.forgotten = []
        (resets, unstored) = ([], FilePositionChanges())
        mayMissCopies = false
        guard isSettled else {
            needsScan = needsScan || waiting.new.isEmpty
            return
        }
        for file in replaced { _ = file.handle(.settled) }
        tellLosses()
        guard !resets.isEmpty else { return }
        // At once: if it ended before the next scan, the next start would say the same again.
        var told = FilePositionChanges()
        told.stored = resets
        try store.saveNow(told, stream: flow.stream)
        resets = []
    }

    /// Takes over what a scan says about files that are followed.
    private func update(
        _ followed: [FollowedFile],
        by scan: PatternScan,
        found: [FileKey: FoundFile],
        into admission: inout FileAdmission
    ) {
        for file in followed {
            let seen = found[file.key]
            let now = seen.flatMap { isSame(file, as: $0) ? $0 : nil }
            if seen != nil, now == nil { needsScan = true }
            if seen == nil {
                let isGone = scan.isStable && scan.isGone(file.path, from: file.position.directoryDevice)
                guard isGone || file.isDeleted else { continue }
            }
            for action in file.handle(file.found(now)) {
                switch action {
                case .open: waiting.closed.append((file, now))
                case .compare: compare(file)
                case .drop: forget(file, into: &admission)
                default: preconditionFailure("a scan has the action \(action)")
                }
            }
        }
        // At once: there may be many.
        files.removeAll { $0.state.phase == .ended }
    }

    /// Whether a scan found a followed file, and not another one that has its inode by now. Without times of birth that shows
    /// only if one of them is compressed.
    private func isSame(_ file: FollowedFile, as found: FoundFile) -> Bool {
        file.key.birth != 0 || file.state.isOpen || file.isCompressed == (found.relation == .compressed)
    }

    /// Ends the following of a closed file that is gone.
    private func forget(_ file: FollowedFile, into admission: inout FileAdmission) {
        var position = file.position
        position.isFinished = file.unreadBytes == 0
        admission.lose(gone.add(position))
        release(file)
    }

    /// Looks whether an undecided file is a copy.
    func compare(_ file: FollowedFile, beside new: [FollowedFile] = []) {
        var found = comparison(of: file, beside: new)
        let copy = found == .copy ? copiedPosition(of: file) : nil
        if found == .copy, file.file?.error != 0 { found = .failed }
        for action in file.handle(.compared(found)) {
            switch action {
            case .skip: if let copy { skip(file, to: copy) }
            case .drop: drop(file)
            case .putBack: putBack(file)
            default: preconditionFailure("a comparison has the action \(action)")
            }
        }
        if file.isCompressed, file.state.phase != .undecided, file.state.phase != .ended { needsScan = true }
    }

    /// Stores a position with the next scan, before anything is read.
    func begin(_ file: FollowedFile, at position: FilePosition) {
        file.begin(at: position)
        resets.append(position)
    }

    /// The files that this process may read. They are claimed in the order in which their claims are neighbors.
    private func claim(_ new: [FoundFile]) -> [FoundFile] {
        let claimed = Set(new.sorted { $0.key.inode < $1.key.inode }.filter(claim).map(\.key))
        let mine = new.filter { claimed.contains($0.key) }
        // Those first that others may be copies of.
        return mine.count <= openFiles.room
            ? mine : mine.filter { $0.relation == .matches } + mine.filter { $0.relation != .matches }
    }

    /// Whether this process may read a file.
    private func claim(_ found: FoundFile) -> Bool {
        guard !found.isLink || !plainPaths.contains(found.path) else {
            observer.tell(.notFollowed(found.path, .becameLink))
            return false
        }
        if !found.isLink, found.path == found.base { plainPaths.insert(found.path) }
        do throws(RecorderError) {
            if try claims.claim(found.key) { return true }
            observer.tell(.notFollowed(found.path, .isClaimed))
        } catch {
            observer.tell(.notFollowed(found.path, .notClaimed(error)))
        }
        needsRescan = true
        return false
    }

    // MARK: - end

    /// Begins anew with a file that was truncated, after a scan that looks for a copy of what it held.
    func startOver(_ file: FollowedFile) {
        gone.addTruncated(file.storedPosition)
        truncations += 1
        file.startOver()
        needsScan = true
    }

    /// Ends the following of a file that is gone, whose lines are stored.
    func end(_ file: FollowedFile) {
        var position = file.storedPosition
        // What was left of it is told.
        position.isFinished = true
        gone.add(position)
        drop(file)
    }

    /// Ends the following of a file of which nothing was read, until a scan finds it again.
    func putBack(_ file: FollowedFile) {
        if let error = file.file?.error, error != 0 { observer.tell(.notFollowed(file.path, .unreadable(error))) }
        if let pattern = patterns.first(where: file.position.isOf) { missed.append((pattern, file.asFound)) }
        release(file, forgets: false)
        files.removeAll { $0 === file }
        needsRescan = true
    }

    /// The counts of all files that were followed.
    var totals: FollowEnd { files.reduce(into: ended) { $0.add($1.totals) } }

    /// Ends the following of a file.
    func drop(_ file: FollowedFile) {
        release(file)
        files.removeAll { $0 === file }
    }

    /// `forgets`: what was told of it is told again if it is followed again.
    private func release(_ file: FollowedFile, forgets: Bool = true) {
        if case .watched = file.arming { released.append(file) }
        ended.add(file.totals)
        if forgets { observer.forget(file.path) }
        file.end()
        glimpsed.removeAll { $0.file.key == file.key }
        claims.release(file.key)
    }

    // MARK: - pauses

    var mayRead: Bool { pace.mayRead(at: system.now) }

    /// Reads less, or nothing for a while, because the store takes nothing.
    func stop(because error: RecorderError) {
        let isFull = if case .storeFull = error { true } else { false }
        if pace.refused(isFull: isFull, at: system.now) { observer.tell(.paused(error, stream: flow.stream)) }
    }

    /// Takes note that the store takes records again; `isAtEnd` says that it took all there were.
    func goOn(isAtEnd: Bool = true) {
        if pace.stored(isAtEnd: isAtEnd) { observer.tell(.resumed(stream: flow.stream)) }
    }

    /// What the metrics show of it.
    var metrics: FlowMetrics {
        var flow = FlowMetrics()
        (flow.isPaused, flow.files, flow.readBytes) = (pace.isTold, files.count, readBytes)
        (flow.incompleteFiles, flow.copies) = (incompleteFiles, copies)
        (flow.readRecords, flow.truncations) = (readRecords, truncations)
        for file in files {
            let unread = file.unreadBytes
            flow.unreadBytes = Formatting.sum(flow.unreadBytes, unread)
            flow.unreadSeconds = max(flow.unreadSeconds, Int(file.waiting(with: unread).components.seconds))
        }
        return flow
    }
}
