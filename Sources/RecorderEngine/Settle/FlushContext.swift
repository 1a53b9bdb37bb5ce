/// What the parts of one flush share.
struct FlushContext: Sendable {
    let store: RecordStore
    let sender: BatchSender
    let policy: RecorderPolicy
    /// The counts when the flush began; records saved since are left to the next flush.
    let totalsAtStart: StoreTotals
    /// Called on the executor's threads.
    let emit: @Sendable (RecorderEvent) -> Void

    /// Whether younger records of a partition key wait for its older ones.
    var keepsOrder: Bool { policy.keepsOrder && sender.service.sendsPartitionKey }
}
