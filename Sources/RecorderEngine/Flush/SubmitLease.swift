/// The right to submit a store, which one process holds at a time. Its holder's death gives it back.
struct SubmitLease: Sendable {
    private let lock: StoreLock

    /// How long to wait for a holder before its process is named as the trouble.
    private static let patience = Duration.seconds(60)

    static func take(_ store: RecordStore) async throws(RecorderError) -> SubmitLease {
        let lock = try store.lease()
        let end = ContinuousClock.now + patience
        while try !lock.tryLock() {
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

    /// The lease, if no other submit holds it.
    static func takeIfFree(_ store: RecordStore) throws(RecorderError) -> SubmitLease? {
        let lock = try store.lease()
        guard try lock.tryLock() else { return nil }
        lock.sign()
        return SubmitLease(lock: lock)
    }

    /// Checked before each request: where the lease's file was removed or replaced, another process may be submitting the
    /// same records.
    func check() throws(RecorderError) {
        guard !lock.isEffective else { return }
        throw .storage(
            "\(lock.path) was removed or replaced while records were being submitted, so that another process can "
                + "submit them, too. The rest is kept: submit again, and leave the store's lock files alone.",
            nil
        )
    }

    func giveBack() {
        lock.unlock()
    }
}
