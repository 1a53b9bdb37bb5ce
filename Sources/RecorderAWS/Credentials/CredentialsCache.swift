package import FoundationEssentials
import RecorderConcurrency

/// Gets new temporary keys. ``CredentialsCache`` keeps and renews them.
package protocol CredentialsFetcher: Sendable, CustomReflectable {
    /// New keys.
    func fetch() async throws(CredentialsFailure) -> Credentials

    /// Whether the keys are renewed at half their lifetime, so that there may be no new ones for the other half; false by
    /// default.
    var renewsAtHalfLife: Bool { get }
}

extension CredentialsFetcher {
    package var renewsAtHalfLife: Bool { false }

    /// A mirror without children, because fetchers hold tokens and keys.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps temporary keys until shortly before they expire. Concurrent callers share one fetch.
///
/// Keys are renewed when less than ten minutes are left, or half their lifetime if that is shorter or if the fetcher asks for
/// it. If a fetch fails while the old keys are still valid, they are used, the failure is logged, and the fetch is tried again
/// later. Once the fetcher has given keys, it is set up here: not to reach it is an outage. Failures are never cached. Safe to
/// use from any thread.
package final class CredentialsCache: CredentialsSource {
    private struct Entry {
        var credentials: Credentials
        var renewAt: Date
    }

    private let fetcher: any CredentialsFetcher
    private let now: @Sendable () -> Date
    private let entry = Locked<Entry?>(nil)
    private let hasGivenKeys = Locked(false)
    private let flight = SingleFlight<Credentials, CredentialsFailure>(cancelled: .stoppedWaiting)

    /// An empty cache for the keys of this fetcher.
    package init(_ fetcher: any CredentialsFetcher, now: @escaping @Sendable () -> Date = { Date() }) {
        self.fetcher = fetcher
        self.now = now
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? { try await current() }

    /// The cached keys while they are fresh, else new ones.
    package func current() async throws(CredentialsFailure) -> Credentials {
        if let fresh { return fresh }
        return try await flight.value(renew)
    }

    package func invalidate() {
        entry.withLock { $0 = nil }
    }

    /// The cached keys; nil if they need to be renewed or if there are none.
    package var fresh: Credentials? {
        let now = now()
        return entry.withLock { entry in entry.flatMap { now < $0.renewAt ? $0.credentials : nil } }
    }

    /// Stores keys that were obtained at another time, such as in an earlier run of the program.
    package func store(_ credentials: Credentials, obtained: Date) {
        var renewAt = Date.distantFuture
        if let end = credentials.expiration {
            let lifetime = max(0, end.timeIntervalSince(obtained))
            renewAt = end - (fetcher.renewsAtHalfLife ? lifetime / 2 : min(600, lifetime / 2))
        }
        entry.withLock { $0 = Entry(credentials: credentials, renewAt: renewAt) }
    }

    @Sendable private func renew() async throws(CredentialsFailure) -> Credentials {
        // Another flight may have renewed them since this caller's check.
        if let fresh { return fresh }
        do {
            let credentials = try await fetcher.fetch()
            store(credentials, obtained: now())
            hasGivenKeys.withLock { $0 = true }
            return credentials
        } catch {
            guard let old = postponeRenewal() else {
                guard error.kind == .notConfigured, error.wasUnreachable, hasGivenKeys.withLock({ $0 }) else {
                    throw error
                }
                throw CredentialsFailure(error.message, underlying: error.underlying)
            }
            if error.kind != .cancelled {
                RecorderLog.warning(
                    "Keys could not be renewed; the old ones are used until they expire. \(error.message)"
                )
            }
            return old
        }
    }

    /// The cached keys if they are still valid. The next renewal is in a minute, or after half of their remaining time.
    private func postponeRenewal() -> Credentials? {
        let now = now()
        return entry.withLock { entry in
            guard let old = entry?.credentials, let end = old.expiration, now < end else { return nil }
            entry?.renewAt = now + min(60, end.timeIntervalSince(now) / 2)
            return old
        }
    }
}

extension CredentialsCache: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
