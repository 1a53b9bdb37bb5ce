import RecorderStore

/// Waiting for changes.
extension FollowLoop {
    /// How long to wait for events; what has none is looked at after that.
    private var timeout: Duration {
        var timeout = flows.map { $0.scanInterval - (system.now - $0.lastScan) }.min() ?? Self.pollInterval
        let files = flows.lazy.flatMap(\.files).filter { $0.file != nil }
        let isWaiting = flows.contains { $0.waiting.count > 0 }
        let hasPending = isWaiting || files.contains { $0.state.isPending || $0.holdsRecord }
        if hasPending || hasUnwatched || flows.contains(where: \.isUnwatched) {
            timeout = min(timeout, Self.pollInterval)
        }
        for flow in flows {
            if flow.needsRescan { timeout = min(timeout, flow.rescanWait - (system.now - flow.lastScan)) }
            if let end = flow.pace.end, !flow.mayRead { timeout = min(timeout, end - system.now) }
        }
        return max(timeout, .zero)
    }

    func wait(hasMore: Bool) {
        let hasNoted = noted?.isEmpty != true
        let timeout = hasMore || hasNoted ? .zero : timeout
        var ready = wait(for: Set(FollowSignal.allCases), atMost: timeout)
        if hasNoted { ready.insert(.contents) }
        if ready.contains(.contents), !hasMore {
            // Files are watched before they are read: what they have now came since then.
            let change = system.now
            if wait(for: [.stop, .names], atMost: delay.length(at: change)).contains(.names) {
                pauseForRotation()
            }
            delay.read(changedAt: change, at: system.now)
        } else if ready.contains(.names) {
            pauseForRotation()
        }
        if ready.contains(.failedSave) { system.takeFailedSaves() }
        if !hasMore || ready.contains(.contents) {
            takeContentChanges()
            if hasUnwatched { pollContents() }
        }
        takeDirectoryChanges()
    }

    private func pauseForRotation() {
        _ = wait(for: [.stop], atMost: Self.rotation)
    }

    /// Called while a flow looks for its files: a closed one that was written to may be gone, and is ended as it is known then.
    /// What else the events ask for is done later, when nothing is half decided.
    func noteWritten() {
        let changes = system.changes(of: .contents)
        for (file, _) in (changes ?? []).flatMap({ watched[$0] ?? [] }) where file.file == nil && hasChanged(file) {
            file.noteWritten()
        }
        noted = changes.flatMap { noted?.union($0) }
    }

    private func takeContentChanges() {
        let changes = system.changes(of: .contents).flatMap { noted?.union($0) }
        noted = []
        for watch in (changes ?? Set(watched.keys)).sorted() {
            for (file, flow) in watched.removeValue(forKey: watch) ?? [] {
                file.arming = .none
                // It may be gone before it is opened.
                if changes != nil, file.file == nil, hasChanged(file) { file.noteWritten() }
                handle(.changed, of: file, in: flow)
            }
        }
    }

    /// Whether a closed file has more: what was read before it was closed may have an event that comes late.
    private func hasChanged(_ file: FollowedFile) -> Bool {
        let facts = system.facts(of: file.path, followsLink: true)
        return facts.map { $0.key != file.key || file.differs($0) } ?? true
    }

    private func pollContents() {
        hasUnwatched = false
        for flow in flows {
            for file in flow.files where file.arming == .unwatched {
                // Otherwise one that is to be closed would be read again each time, and never be closed.
                if file.state.isOpen, !file.state.isFinishing || file.hasGrown {
                    file.arming = .none
                    handle(.changed, of: file, in: flow)
                } else {
                    hasUnwatched = true
                }
            }
        }
    }

    private func takeDirectoryChanges() {
        let changes = system.changes(of: .names)
        for flow in flows {
            // Only a scan sees that a closed file has grown, if there are no events.
            let hasUnseen = hasUnwatched && flow.files.contains { !$0.state.isOpen && $0.arming == .unwatched }
            let interval =
                flow.isUnwatched
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
