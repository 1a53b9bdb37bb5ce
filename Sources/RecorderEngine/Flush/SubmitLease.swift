/// The right to submit a store, which one process holds at a time. Its holder's death gives it back.
struct SubmitLease: Sendable {
    private let lock: StoreLock

    /// How long to wait for a holder before its process is named as the trouble.
    private static let patience = Duration.seconds(60)

    static func take(_ store: RecordStore) async throws(RecorderError) -> SubmitLease {
        let lock = try store.lease()
        let end = ContinuousClock.now + patience
        while !lock.tryLock() {
            guard ContinuousClock.now < end else {
                throw .storage(
                    "Process \(lock.holder) has been submitting this store for \(patience). "
                        + "Its records are kept; submit again later, or stop that process.",
                    nil
                )
            }
            do {
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                throw .cancelled
            }
        }
        lock.sign()
        return SubmitLease(lock: lock)
    }

    /// The lease, if nobody holds it.
    static func takeIfFree(_ store: RecordStore) throws(RecorderError) -> SubmitLease? {
        let lock = try store.lease()
        guard lock.tryLock() else { return nil }
        lock.sign()
        return SubmitLease(lock: lock)
    }

    func giveBack() {
        lock.unlock()
    }
}
