package import Foundation
import RecorderConcurrency

/// Keeps temporary keys until shortly before they end, and fetches new ones once for all who ask.
///
/// They are renewed when less than ten minutes are left, or half their life if that is shorter. While keys still hold, a
/// fetch that fails is put off and the old ones are given; no failure is ever remembered. Safe to use from any thread.
package final class CredentialsCache: Sendable {
    /// Fetches new keys.
    package typealias Fetch = @Sendable () async throws(CredentialsFailure) -> Credentials

    private struct Kept {
        var credentials: Credentials
        var renewAt: Date
    }

    private let now: @Sendable () -> Date
    private let fetch: Fetch
    private let kept = Locked<Kept?>(nil)
    private let flight = SingleFlight<Credentials, CredentialsFailure>(cancelled: .stoppedWaiting)

    /// An empty cache over this source of keys.
    package init(now: @escaping @Sendable () -> Date = { Date() }, fetch: @escaping Fetch) {
        self.now = now
        self.fetch = fetch
    }

    /// The kept keys while they are fresh, else new ones.
    package func credentials() async throws(CredentialsFailure) -> Credentials {
        if let fresh { return fresh }
        return try await flight.value { () throws(CredentialsFailure) in try await self.renew() }
    }

    /// Drops the kept keys.
    package func invalidate() {
        kept.withLock { $0 = nil }
    }

    /// The kept keys while nothing speaks for new ones.
    package var fresh: Credentials? {
        let now = now()
        return kept.withLock { kept in kept.flatMap { now < $0.renewAt ? $0.credentials : nil } }
    }

    private func renew() async throws(CredentialsFailure) -> Credentials {
        // Someone may have renewed them between this caller's look and its turn.
        if let fresh { return fresh }
        do {
            let credentials = try await fetch()
            keep(credentials, obtained: now())
            return credentials
        } catch {
            guard let old = old() else { throw error }
            return old
        }
    }

    /// Keeps keys that came at another time, such as in an earlier run of the program.
    package func adopt(_ credentials: Credentials, obtained: Date) {
        keep(credentials, obtained: obtained)
    }

    private func keep(_ credentials: Credentials, obtained: Date) {
        var renewAt = Date.distantFuture
        if let end = credentials.expiration {
            let life = max(0, end.timeIntervalSince(obtained))
            renewAt = end - min(600, life / 2)
        }
        kept.withLock { $0 = Kept(credentials: credentials, renewAt: renewAt) }
    }

    /// The kept keys if they still hold, asked for again in a minute, or half their rest.
    private func old() -> Credentials? {
        let now = now()
        return kept.withLock { kept in
            guard let old = kept?.credentials, let end = old.expiration, now < end else { return nil }
            kept?.renewAt = now + min(60, end.timeIntervalSince(now) / 2)
            return old
        }
    }
}
