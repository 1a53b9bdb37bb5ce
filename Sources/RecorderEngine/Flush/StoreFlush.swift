import RecorderAWS
import RecorderConcurrency

/// One flush of a store: takes the lease, discards records that are too old, flushes every stream, and stores why streams kept
/// records.
struct StoreFlush: Sendable {
    let service: StreamServiceDescription
    let store: RecordStore
    let policy: RecorderPolicy
    let caller: @Sendable () throws(ConfigurationFailure) -> AWSServiceCaller
    /// Shared by the flushes of a pipeline.
    let history: FlushHistory
    /// Shared by them, too.
    let byteRate: ByteRateLimiter
    /// Called on the executor's threads.
    let emit: @Sendable (RecorderEvent) -> Void

    /// Runs the flush, on the threads of the store's executor. `.whenFree` waits for other processes that submit, and sends
    /// everything; with `.ifFree` the report says if one is submitting.
    func result(_ start: FlushScheduler.Start) async -> Result<FlushReport, RecorderError> {
        do {
            return .success(try await run(start))
        } catch {
            return .failure(error)
        }
    }

    private func run(_ start: FlushScheduler.Start) async throws(RecorderError) -> FlushReport {
        guard let lease = try await lease(start) else { return .busy }
        defer { lease.release() }
        try await store.expire(after: policy.limits.age) { for discard in $0 { emit(.discarded(discard)) } }
        let totals = try store.totals()
        let stored = try await store.streamsWithRecords().filter { self.policy.streams?.contains($0.name) ?? true }
        guard !stored.isEmpty || history.settles.hasUnsettled else { return FlushReport() }
        var policy = policy
        if start == .whenFree { policy.batchesPerStream = nil }
        policy.batchByteLimit = policy.pacedBatchByteLimit
        let caller = try makeCaller()
        let (streams, unreachable) = await partition(stored, by: caller)
        let settles = history.settles
        let sender = BatchSender(
            service,
            caller: caller,
            policy: policy,
            byteRate: byteRate,
            lookups: history.lookups,
            lease: lease,
            settles: settles
        )
        let began = ContinuousClock.now
        let context = FlushContext(
            store: store,
            sender: sender,
            settles: settles,
            policy: policy,
            totalsAtStart: totals,
            emit: emit
        )
        var report = try await context.settleEarlier()
        var (sent, untried) = await ParallelStreamFlush(context, history: history).run(streams)
        report.add(sent)
        // The disk became full while answers were on their way. What was settled of them has made room for the rest.
        while report.failures.contains(where: \.error.isDiskFull), let settled = try? await context.settleEarlier() {
            (sent, untried) = await ParallelStreamFlush(context, history: history).run(streams)
            report.failures = []
            report.add(settled)
            report.add(sent)
            guard settled.delivered + settled.discarded + sent.delivered + sent.discarded > 0 else { break }
        }
        report.failures += unreachable
        RecorderLog.info(
            "flush: \(service.name): \(stored.count) streams, \(report.delivered) records delivered, "
                + "\(report.discarded) discarded, \(report.failures.count) streams kept records, in "
                + "\((ContinuousClock.now - began).text)."
        )
        // Only for the status; the report has the errors anyway.
        let isOfAll = policy.streams == nil && untried.isEmpty
        let flushed = isOfAll ? nil : stored.map(\.name).filter { !untried.contains($0) }
        try? await store.storeErrors(of: report.failures, among: flushed)
        return report
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

    private func lease(_ start: FlushScheduler.Start) async throws(RecorderError) -> SubmitLease? {
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
        _ start: FlushScheduler.Start,
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
