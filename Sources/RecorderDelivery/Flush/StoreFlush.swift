package import RecorderAWS
import RecorderConcurrency
package import RecorderStore

/// What a flush of a store does for each of its rounds: discards records that are too old, finds the streams with records, and
/// stores why they kept them.
package struct StoreFlush: Sendable {
    let service: StreamServiceDescription
    let store: RecordStore
    /// The limits and options of the next round.
    let policy: @Sendable () -> RecorderPolicy
    let caller: @Sendable () throws(ConfigurationFailure) -> AWSServiceCaller
    /// Returns when what was saved before is stored.
    let earlierSaves: @Sendable () async -> Void
    /// Shared by the flushes of a pipeline.
    let history = FlushHistory()
    /// Shared by them, too.
    let byteRate = ByteRateLimiter()
    /// Called on the executor's threads.
    let emit: @Sendable (RecorderEvent) -> Void

    package init(
        service: StreamServiceDescription,
        store: RecordStore,
        policy: @escaping @Sendable () -> RecorderPolicy,
        caller: @escaping @Sendable () throws(ConfigurationFailure) -> AWSServiceCaller,
        earlierSaves: @escaping @Sendable () async -> Void,
        emit: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        self.service = service
        self.store = store
        self.policy = policy
        self.caller = caller
        self.earlierSaves = earlierSaves
        self.emit = emit
    }

    /// Takes the lease and runs all rounds, on the threads of the store's executor. `.whenFree` waits for other processes that
    /// submit, and sends everything; with `.ifFree` the report says if one is submitting. Returns the results of the rounds that
    /// ended last, when the lease is free again.
    package func perform(_ run: FlushRun) async -> [RoundResult] {
        do throws(RecorderError) {
            guard let lease = try await lease(run.start) else {
                return [RoundResult(round: run.first, result: .success(.busy))]
            }
            defer { lease.release() }
            var rounds = ParallelStreamFlush(self, run: run, lease: lease)
            return await rounds.perform()
        } catch {
            return [RoundResult(round: run.first, result: .failure(error))]
        }
    }

    /// What a round begins with.
    struct Beginning {
        let context: FlushContext
        let streams: [StreamSummary]
        /// The streams that requests cannot concern.
        var unreachable: [FlushReport.Failure] = []
    }

    /// Finds the streams of a round; nil if there is nothing to send.
    func begin(
        _ start: FlushRun.Start,
        lease: SubmitLease,
        emit: @escaping @Sendable (RecorderEvent) -> Void
    ) async throws(RecorderError) -> Beginning? {
        await earlierSaves()
        var policy = policy()
        try await store.expire(after: policy.limits.age) { for discard in $0 { self.emit(.discarded(discard)) } }
        let totals = try store.totals()
        let stored = try await store.streamsWithRecords().filter { policy.streams?.contains($0.name) ?? true }
        guard !stored.isEmpty || history.settles.hasUnsettled else { return nil }
        if start == .whenFree { policy.batchesPerStream = nil }
        policy.batchByteLimit = policy.pacedBatchByteLimit
        let caller = try makeCaller()
        let (streams, unreachable) = await partition(stored, by: caller)
        let sender = BatchSender(
            service,
            caller: caller,
            policy: policy,
            byteRate: byteRate,
            lookups: history.lookups,
            lease: lease,
            settles: history.settles
        )
        let context = FlushContext(
            store: store,
            sender: sender,
            settles: history.settles,
            policy: policy,
            totalsAtStart: totals,
            emit: emit
        )
        return Beginning(context: context, streams: streams, unreachable: unreachable)
    }

    /// Stores why streams kept records. Only for the status; the report has the errors anyway.
    func end(_ report: FlushReport, tried streams: [StreamName]?, since start: ContinuousClock.Instant) async {
        RecorderLog.info(
            "flush: \(service.name): \(report.delivered) records delivered, \(report.discarded) discarded, "
                + "\(report.failures.count) streams kept records, in \((SystemTime.now - start).text)."
        )
        try? await store.storeErrors(of: report.failures, among: streams)
    }

    /// Separates the streams whose ARN requests cannot concern: of another region, which was configured when their records
    /// were saved, or of another account, if the service takes no ARNs. Their records stay, and the others are sent.
    private func partition(
        _ streams: [StreamSummary],
        by caller: AWSServiceCaller
    ) async -> (reachable: [StreamSummary], failures: [FlushReport.Failure]) {
        let needsOwnAccount = service.arnField == nil && streams.contains { $0.name.arn != nil }
        let account = needsOwnAccount ? await caller.accountID() : nil
        var reachable: [StreamSummary] = []
        var failures: [FlushReport.Failure] = []
        for stream in streams {
            do throws(ConfigurationFailure) {
                try stream.name.arn?.check(in: caller.region)
                if let account { try check(stream.name, isIn: account) }
                reachable.append(stream)
            } catch {
                failures.append(.init(stream: stream.name, error: .configuration(error)))
            }
        }
        return (reachable, failures)
    }

    private func check(_ stream: StreamName, isIn account: String) throws(ConfigurationFailure) {
        guard let arn = stream.arn, arn.account != account else { return }
        throw ConfigurationFailure(
            "The ARN \(arn) is of the account \(arn.account), but the credentials belong to \(account), and "
                + "\(service.operation) reaches only streams of their own account: use credentials of \(arn.account)."
        )
    }

    private func lease(_ start: FlushRun.Start) async throws(RecorderError) -> SubmitLease? {
        var lock = try store.submitLock()
        while let lease = try await lease(start, of: lock) {
            // While it waited, the store may have been moved or replaced.
            let next = try store.submitLock()
            if next.path == lock.path { return lease }
            lease.release()
            lock = next
        }
        return nil
    }

    private func lease(
        _ start: FlushRun.Start,
        of lock: StoreLock
    ) async throws(RecorderError) -> SubmitLease? {
        switch start {
        case .whenFree: try await SubmitLease.acquire(lock)
        case .ifFree: try SubmitLease.acquireIfFree(lock)
        }
    }

    private func makeCaller() throws(RecorderError) -> AWSServiceCaller {
        do {
            return try caller()
        } catch {
            throw .configuration(error)
        }
    }
}
