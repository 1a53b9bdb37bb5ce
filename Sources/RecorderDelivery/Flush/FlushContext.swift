import RecorderStore

/// What the parts of one flush share.
struct FlushContext: Sendable {
    let store: RecordStore
    let sender: BatchSender
    let settles: SettleGuard
    let policy: RecorderPolicy
    /// The counts when the flush began; records saved since are left to the next flush.
    let totalsAtStart: StoreTotals
    /// Called on the executor's threads.
    let emit: @Sendable (RecorderEvent) -> Void

    /// Whether records may share the entries of a stream's next batch. Asks the service if that, or an order, depends on how it
    /// distributes records, and is not known.
    func mayShare(_ stream: StreamName) async -> Bool {
        let sharesEntries = policy.sharedEntryBytes != nil
        guard sender.service.sendsPartitionKey, sharesEntries || policy.keepsOrder else { return true }
        let purpose = StreamLookups.Purpose(sharesEntries: sharesEntries, isAssumed: policy.assumesDistributionByKey)
        return await sender.lookups.mayShare(stream, for: purpose, asking: sender)
    }

    /// Settles what an earlier flush could not, and makes sure that answers to this one can be settled. Reports what was settled, and
    /// what could still not be.
    func settleEarlier() async throws(RecorderError) -> FlushReport {
        var report = FlushReport()
        let unsettled = Dictionary(grouping: settles.takeUnsettled(), by: \.stream)
        for (stream, answers) in unsettled.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            var loop = DeliveryLoop(stream, context: self)
            for answer in answers { await loop.perform { $0.earlier(answer) } }
            report.add(loop.delivery.report)
        }
        try await settles.open(store)
        return report
    }
}
