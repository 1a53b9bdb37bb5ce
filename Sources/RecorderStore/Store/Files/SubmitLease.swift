import RecorderConcurrency

/// The right to submit a store's records, which one process holds at a time. It is released when the holder dies.
package struct SubmitLease: Sendable {
    private let lock: StoreLock

    /// How long to wait before the error names the process that holds the lease.
    private static let timeout = Duration.seconds(60)

    /// Waits until no other submit holds the lease.
    package static func acquire(_ lock: StoreLock) async throws(RecorderError) -> SubmitLease {
        let end = SystemTime.now + timeout
        while try !lock.tryLock() {
            guard SystemTime.now < end else {
                throw .storage(
                    "Process \(lock.holder) has been submitting this store for \(timeout). "
                        + "Its records are kept; submit again later, or stop that process.",
                    nil
                )
            }
            do {
                try await SystemTime.sleep(for: .milliseconds(50))
            } catch {
                throw .cancelled
            }
        }
        lock.writeHolder()
        return SubmitLease(lock: lock)
    }

    /// Takes the lease if no other submit holds it.
    package static func acquireIfFree(_ lock: StoreLock) throws(RecorderError) -> SubmitLease? {
        guard try lock.tryLock() else { return nil }
        lock.writeHolder()
        return SubmitLease(lock: lock)
    }

    /// Called before each request: if the lease's file was removed or replaced, another process may submit the same records.
    package func check() throws(RecorderError) {
        guard !lock.isEffective else { return }
        throw .storage(
            "\(lock.path) was removed or replaced while records were being submitted, so another process may submit them "
                + "too. The remaining records are kept: submit again, and do not touch the store's lock files.",
            nil
        )
    }

    package func release() {
        lock.unlock()
    }
}
