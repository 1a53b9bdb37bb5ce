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
        let timeout = hasMore ? .zero : timeout
        let ready = wait(for: Set(FollowSignal.allCases), atMost: timeout)
        if ready.contains(.contents), !hasMore {
            // Files are watched before they are read: what they have now came since then.
            let event = system.now
            let isSteady = event - lastChange < Self.steadyWait
            let isFast = Double(growth.bytes) >= Self.fastRate * (growth.time / .seconds(1))
            let wait = isFast ? Self.fastWait : isSteady ? Self.steadyWait : Self.firstWait
            if self.wait(for: [.stop, .names], atMost: wait).contains(.names) {
                pauseForRotation()
            }
            growth = (0, system.now - event)
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
        if hasUnwatched { pollContents() }
        for watch in (changes ?? Set(watched.keys)).sorted() {
            for (file, flow) in watched.removeValue(forKey: watch) ?? [] {
                file.arming = .none
                if changes != nil, file.file == nil { noteWritten(file) }
                handle(.changed, of: file, in: flow)
            }
        }
    }

    /// A closed file may be gone before it is opened.
    private func noteWritten(_ file: FollowedFile) {
        // What was read before it was closed may have an event that comes late.
        let differs = system.facts(of: file.path, followsLink: true).map(file.differs) ?? true
        if differs { file.noteWritten() }
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
