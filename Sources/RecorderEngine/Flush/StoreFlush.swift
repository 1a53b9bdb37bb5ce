import RecorderAWS
import RecorderConcurrency

/// One flush of a store: takes the lease, discards records that are too old, flushes every stream, and stores why streams kept
/// records.
struct StoreFlush: Sendable {
    let service: StreamServiceDescription
    let store: RecordStore
    let policy: RecorderPolicy
    let caller: @Sendable () throws(ConfigurationFailure) -> AWSServiceCaller
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
        let streams = try await store.streamsWithRecords()
        guard !streams.isEmpty else { return FlushReport() }
        var policy = policy
        if start == .whenFree { policy.batchesPerStream = nil }
        let sender = BatchSender(service, caller: try makeCaller(), policy: policy, lease: lease)
        let began = ContinuousClock.now
        let context = FlushContext(store: store, sender: sender, policy: policy, totalsAtStart: totals, emit: emit)
        let report = await ParallelStreamFlush(context).run(streams)
        RecorderLog.info(
            "flush: \(service.name): \(streams.count) streams, \(report.delivered) records delivered, "
                + "\(report.discarded) discarded, \(report.failures.count) streams kept records, in "
                + "\((ContinuousClock.now - began).text)."
        )
        // Only for the status; the report has the errors anyway.
        try? await store.storeErrors(of: report.failures)
        return report
    }

    private func lease(_ start: FlushScheduler.Start) async throws(RecorderError) -> SubmitLease? {
        switch start {
        case .whenFree: try await SubmitLease.acquire(try store.submitLock())
        case .ifFree: try SubmitLease.acquireIfFree(try store.submitLock())
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
