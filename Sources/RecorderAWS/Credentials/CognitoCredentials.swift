package import Foundation
import RecorderConcurrency
package import RecorderHTTP

/// Temporary keys from a Cognito identity pool, by the enhanced flow: an identity, then keys for it.
///
/// The calls go unsigned. Concurrent callers share one refresh. Safe to use from any thread.
package final class CognitoCredentials: CredentialsSource {
    private let pool: CognitoPool
    private let cache: CredentialsCache

    /// A source for this pool, which calls `endpoint`, by default the public one of the region.
    ///
    /// `logins` are tokens by the name of who issued them; none for a guest. `identityID` is the identity's id, if it is
    /// known from before.
    package init(
        identityPoolID: String,
        region: Region,
        endpoint: Endpoint? = nil,
        logins: [String: String] = [:],
        identityID: String? = nil,
        transport: any HTTPTransport = CurlTransport.shared,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        let configuration = CallConfiguration(
            region: region,
            endpoint: endpoint ?? .standard(for: .cognitoIdentity, in: region),
            credentials: AnonymousCredentials(),
            timeouts: HTTPTimeouts(total: .seconds(120)),
            transport: transport,
            now: now,
            pause: pause
        )
        let caller = AWSCaller(.cognitoIdentity, configuration)
        let pool = CognitoPool(poolID: identityPoolID, logins: logins, identityID: identityID, caller: caller, now: now)
        self.pool = pool
        cache = CredentialsCache(now: now) { () throws(CredentialsFailure) in try await pool.freshCredentials() }
    }

    /// The identity's id: the known one, else a new one from the service.
    package func identityID() async throws(CredentialsFailure) -> String {
        try await pool.identityID()
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await cache.credentials()
    }

    package func invalidate() {
        cache.invalidate()
    }
}

extension CognitoCredentials: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
