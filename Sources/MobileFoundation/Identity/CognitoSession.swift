import Foundation
import RecordFormats
package import RecorderAWS
import RecorderConcurrency
import RecorderConfiguration
import RecorderHTTP

/// The credentials behind a Cognito provider. Fetches keys for the helper's identity, and new ones when the logins change.
package final class CognitoSession: CredentialsSource {
    /// The roles of the classic flow.
    struct Roles: Sendable {
        var unauthenticated: String?
        var authenticated: String?

        var isEmpty: Bool { unauthenticated == nil && authenticated == nil }
    }

    /// What keys are requested with.
    private struct Terms: Equatable, Sendable {
        var logins: [String: String] = [:]
        var role: String?
    }

    /// Holds the session weakly, because the session owns the cache.
    private struct SessionFetcher: CredentialsFetcher {
        weak let session: CognitoSession?
        let terms: Terms
        let digest: String
        let generation: Int

        func fetch() async throws(CredentialsFailure) -> Credentials {
            guard let session else { throw CredentialsFailure("The Cognito provider was released.", kind: .cancelled) }
            return try await session.fetch(terms, digest: digest, generation: generation)
        }
    }

    private struct State {
        var cache: CredentialsCache?
        var terms = Terms()
        /// How often everything was cleared.
        var generation = 0
    }

    private let helper: CognitoHelper
    private let roles: Roles?
    private let client: Result<CognitoClient, CredentialsFailure>
    private let services: IdentityServices
    private let store: CognitoIdentityStore
    private let state = Locked(State())
    private let loginsWatch = LoginsWatch()

    /// A session of the enhanced flow, or of the classic flow if there are roles.
    init(
        _ helper: any AWSCognitoCredentialsProviderHelperProtocol,
        roles: Roles?,
        services: IdentityServices,
        store: CognitoIdentityStore
    ) {
        self.helper = CognitoHelper(helper)
        self.roles = roles.flatMap { $0.isEmpty ? nil : $0 }
        self.services = services
        self.store = store
        client = services.client(poolID: helper.identityPoolId)
        if let known = helper.identityId {
            store.identityID = known
        } else {
            useStoredIdentity()
        }
    }

    /// Provides the identity and its logins.
    var identityProvider: any AWSCognitoCredentialsProviderHelperProtocol { helper.wrapped }

    /// The keys that were fetched last, or were read from disk; nil after they were invalidated.
    var lastKeys: Credentials? { store.lastKeys }

    /// The identity's ID, if it is known.
    var knownIdentityID: String? { helper.wrapped.identityId ?? store.identityID }

    /// The identity's ID: the known one, otherwise a new one from the service.
    func identityID() async throws(CredentialsFailure) -> String {
        try await identityID(of: state.withLock { $0.generation })
    }

    private func identityID(of generation: Int) async throws(CredentialsFailure) -> String {
        useStoredIdentity()
        guard let id = try await helper.identityID() else {
            throw .cognito(.identityIdIsNil, "The identity provider gave no identity id: it must set or return one.")
        }
        keep(id, of: generation) { $0.identityID = id }
        return id
    }

    /// Keeps an identity, unless everything was cleared meanwhile: then it is not to be used any more.
    private func keep(_ id: String, of generation: Int, store change: (CognitoIdentityStore) -> Void) {
        let isCurrent = state.withLock { state in
            guard state.generation == generation else { return false }
            change(store)
            return true
        }
        if isCurrent, helper.wrapped.identityId != id { helper.wrapped.identityId = id }
        // Also if it was cleared since, unless it is the new one.
        let isOver = state.withLock { $0.generation != generation && store.identityID != id }
        if isOver, helper.wrapped.identityId == id { helper.wrapped.identityId = nil }
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        let terms: Terms
        do {
            terms = try await currentTerms()
        } catch {
            // The keys of the last logins may still be used while the logins are not available.
            if let fresh = state.withLock({ $0.cache })?.fresh { return fresh }
            throw error
        }
        do {
            return try await cache(for: terms).current()
        } catch {
            var failure = error
            failure.cause = error.nsError(.cognitoIdentity)
            throw failure
        }
    }

    package func invalidate() {
        state.withLock { $0.cache }?.invalidate()
        store.removeKeys()
    }

    /// Removes the identity and its keys; the next use creates a new one.
    func clear() {
        state.withLock { state in
            state = State(generation: state.generation + 1)
            store.clear()
        }
        helper.wrapped.clear()
        loginsWatch.forget()
        // What was asked for meanwhile found the helper's.
        store.clear()
    }

    // MARK: keys

    private func currentTerms() async throws(CredentialsFailure) -> Terms {
        guard let manager = helper.manager else { return Terms() }
        let logins = try await manager.logins()
        loginsWatch.check(logins, of: "identity provider manager", poolID: helper.wrapped.identityPoolId)
        return Terms(logins: logins, role: manager.customRole)
    }

    private func cache(for terms: Terms) -> CredentialsCache {
        useStoredIdentity()
        return state.withLock { state in
            if let cache = state.cache, state.terms == terms { return cache }
            let digest = digest(terms)
            let cache = CredentialsCache(
                SessionFetcher(session: self, terms: terms, digest: digest, generation: state.generation),
                now: store.now
            )
            if let stored = store.keys(of: helper.wrapped.identityId, terms: digest) {
                cache.store(stored.credentials, obtained: stored.obtained)
            }
            (state.cache, state.terms) = (cache, terms)
            return cache
        }
    }

    private func fetch(
        _ terms: Terms,
        digest: String,
        generation: Int
    ) async throws(CredentialsFailure) -> Credentials {
        let (id, credentials) =
            if let roles {
                try await classicKeys(roles, of: generation)
            } else {
                try await enhancedKeys(role: terms.role, of: generation)
            }
        keep(id, of: generation) { $0.save(credentials, of: id, terms: digest) }
        RecorderLog.debug(
            "credentials: new keys of the Cognito pool \(helper.wrapped.identityPoolId) until "
                + "\(credentials.expiration.map(LogTime.text) ?? "further notice")."
        )
        return credentials
    }

    private func enhancedKeys(role: String?, of generation: Int) async throws(CredentialsFailure) -> (
        String, Credentials
    ) {
        let client = try client.get()
        var retry = IdentityRetry()
        while true {
            // Logins first: they bring the identity if a backend authenticates it.
            let logins = try await identityLogins()
            let id = try await identityID(of: generation)
            do throws(CredentialsFailure) {
                return try await client.credentials(for: id, logins: logins, role: role)
            } catch {
                try retry.checkFirstRefusal(error)
                forget(id)
            }
        }
    }

    /// Drops an identity that the service does not know, unless another one has taken its place.
    private func forget(_ id: String) {
        if helper.wrapped.identityId == id { helper.wrapped.identityId = nil }
        if store.identityID == id { store.identityID = nil }
    }

    /// The helper's logins. A manager's own logins were checked before.
    private func identityLogins() async throws(CredentialsFailure) -> [String: String] {
        let logins = try await helper.logins()
        if helper.manager == nil {
            loginsWatch.check(logins, of: "identity provider", poolID: helper.wrapped.identityPoolId)
        }
        return logins
    }

    private func classicKeys(
        _ roles: Roles,
        of generation: Int
    ) async throws(CredentialsFailure) -> (String, Credentials) {
        let logins = try await identityLogins()
        let id = try await identityID(of: generation)
        let isAuthenticated = helper.wrapped.isAuthenticated()
        guard let role = isAuthenticated ? roles.authenticated : roles.unauthenticated else {
            let name = isAuthenticated ? "authRoleArn" : "unauthRoleArn"
            throw .cognito(.invalidConfiguration, "The Cognito provider has no \(name): give the role's ARN.")
        }
        guard let token = logins[AWSIdentityProviderAmazonCognitoIdentity] else {
            throw .cognito(
                .invalidCognitoIdentityToken,
                "The identity provider gave no token of \(AWSIdentityProviderAmazonCognitoIdentity), which STS requires."
            )
        }
        return (id, try await services.assumeRole(RoleSession(roleARN: role, name: "iOS-Provider"), token: token))
    }

    /// Takes the identity that another provider of the same pool, or an earlier run, has created.
    private func useStoredIdentity() {
        guard helper.wrapped.identityId == nil, let stored = store.identityID else { return }
        helper.wrapped.identityId = stored
    }

    /// Identifies on disk what keys were requested with, without revealing it.
    private func digest(_ terms: Terms) -> String {
        var parts = [services.address, roles?.authenticated ?? "", roles?.unauthenticated ?? "", terms.role ?? ""]
        for (name, token) in terms.logins.sorted(by: { $0.key < $1.key }) { parts += [name, token] }
        return Digest.hex(Digest.sha256(Array(parts.joined(separator: "\0").utf8)))
    }
}

/// Awaits the tasks of the helper, which may be the user's own code.
final class CognitoHelper: @unchecked Sendable {
    // Safe because the reference is immutable, and the protocol requires members that any thread may use.
    let wrapped: any AWSCognitoCredentialsProviderHelperProtocol

    init(_ helper: any AWSCognitoCredentialsProviderHelperProtocol) {
        wrapped = helper
    }

    var manager: LoginsManager? { wrapped.identityProviderManager.map(LoginsManager.init) }

    func logins() async throws(CredentialsFailure) -> [String: String] {
        try await LoginsManager(wrapped).logins()
    }

    func identityID() async throws(CredentialsFailure) -> String? {
        if let known = wrapped.identityId { return known }
        return try await ProviderTask.result(of: "The identity provider") { self.wrapped.getIdentityId() } as String?
    }
}

extension CognitoSession: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
