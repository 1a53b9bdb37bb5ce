import Foundation
package import RecorderAWS
import RecorderConcurrency
import RecorderHTTP

/// The keys behind a Cognito provider: fetched for the helper's identity, fetched anew when the logins change.
package final class CognitoSession: CredentialsSource {
    /// The roles of the classic flow.
    struct Roles: Sendable {
        var unauthenticated: String?
        var authenticated: String?

        var isEmpty: Bool { unauthenticated == nil && authenticated == nil }
    }

    /// What keys are asked for with.
    private struct Terms: Equatable, Sendable {
        var logins: [String: String] = [:]
        var role: String?
    }

    /// Does not keep the session alive, because the session owns the cache.
    private struct SessionFetcher: CredentialsFetcher {
        weak let session: CognitoSession?
        let terms: Terms
        let digest: String

        func fetch() async throws(CredentialsFailure) -> Credentials {
            guard let session else { throw CredentialsFailure("The Cognito provider is gone.", kind: .cancelled) }
            return try await session.fetch(terms, digest)
        }
    }

    private struct State {
        var cache: CredentialsCache?
        var terms = Terms()
    }

    private let helper: CognitoHelper
    private let roles: Roles?
    private let client: Result<CognitoClient, CredentialsFailure>
    private let place: CognitoPlace
    private let memory: CognitoMemory
    private let state = Locked(State())

    /// A session of the enhanced flow, or of the classic one where roles are given.
    init(
        _ helper: any AWSCognitoCredentialsProviderHelperProtocol,
        roles: Roles?,
        place: CognitoPlace,
        memory: CognitoMemory
    ) {
        self.helper = CognitoHelper(helper)
        self.roles = roles.flatMap { $0.isEmpty ? nil : $0 }
        self.place = place
        self.memory = memory
        client = place.client(poolID: helper.identityPoolId)
        if let known = helper.identityId {
            memory.identityID = known
        } else {
            adoptKeptIdentity()
        }
    }

    /// The identity's id as far as it is known.
    var knownIdentityID: String? { helper.given.identityId ?? memory.identityID }

    /// The identity's id: the known one, else a new one from the service.
    func identityID() async throws(CredentialsFailure) -> String {
        adoptKeptIdentity()
        guard let id = try await helper.identityID() else {
            throw .cognito(.identityIdIsNil, "The identity provider gave no identity id: it must set or return one.")
        }
        memory.identityID = id
        return id
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        let terms: Terms
        do {
            terms = try await currentTerms()
        } catch {
            // Whoever cannot tell the logins now may go on with the keys of a moment ago.
            if let fresh = state.withLock({ $0.cache })?.fresh { return fresh }
            throw error
        }
        do {
            return try await cache(for: terms).current()
        } catch {
            throw CredentialsFailure(
                error.message,
                kind: error.kind,
                underlying: error.underlying,
                cause: error.nsError(.cognitoIdentity)
            )
        }
    }

    package func invalidate() {
        state.withLock { $0.cache }?.invalidate()
        memory.forgetKeys()
    }

    /// Forgets the identity and its keys; the next use makes a new one.
    func clear() {
        helper.given.clear()
        state.withLock { $0 = State() }
        memory.clear()
    }

    // MARK: keys

    private func currentTerms() async throws(CredentialsFailure) -> Terms {
        guard let manager = helper.manager else { return Terms() }
        return Terms(logins: try await manager.logins(), role: manager.customRole)
    }

    private func cache(for terms: Terms) -> CredentialsCache {
        adoptKeptIdentity()
        return state.withLock { state in
            if let cache = state.cache, state.terms == terms { return cache }
            let digest = digest(terms)
            let cache = CredentialsCache(
                SessionFetcher(session: self, terms: terms, digest: digest),
                now: memory.now
            )
            if let kept = memory.keys(of: helper.given.identityId, terms: digest) {
                cache.store(kept.credentials, obtained: kept.obtained)
            }
            state = State(cache: cache, terms: terms)
            return cache
        }
    }

    private func fetch(_ terms: Terms, _ digest: String) async throws(CredentialsFailure) -> Credentials {
        let (id, credentials) =
            if let roles { try await classicKeys(roles) } else { try await enhancedKeys(terms.role) }
        if helper.given.identityId != id { helper.given.identityId = id }
        memory.keep(credentials, of: id, terms: digest)
        RecorderLog.debug(
            "credentials: new keys of the Cognito pool \(helper.given.identityPoolId) until "
                + "\(credentials.expiration.map(LogTime.text) ?? "further notice")."
        )
        return credentials
    }

    private func enhancedKeys(_ role: String?) async throws(CredentialsFailure) -> (String, Credentials) {
        let client = try client.get()
        var logins: [String: String] = [:]
        return try await CognitoRefusal.withOtherIdentityIfRefused { () throws(CredentialsFailure) in
            // Asked first: identities that a backend vouches for come with the login.
            logins = try await self.helper.logins()
            return try await self.identityID()
        } drop: { _ in
            self.helper.given.identityId = nil
            self.memory.identityID = nil
        } call: { (id) throws(CredentialsFailure) in
            try await client.credentials(for: id, logins: logins, role: role)
        }
    }

    private func classicKeys(_ roles: Roles) async throws(CredentialsFailure) -> (String, Credentials) {
        let logins = try await helper.logins()
        let id = try await identityID()
        let isAuthenticated = helper.given.isAuthenticated()
        guard let role = isAuthenticated ? roles.authenticated : roles.unauthenticated else {
            let name = isAuthenticated ? "authRoleArn" : "unauthRoleArn"
            throw .cognito(.invalidConfiguration, "The Cognito provider has no \(name): give the role's ARN.")
        }
        guard let token = logins[AWSIdentityProviderAmazonCognitoIdentity] else {
            throw .cognito(
                .invalidCognitoIdentityToken,
                "The identity provider gave no token of \(AWSIdentityProviderAmazonCognitoIdentity), which STS asks for."
            )
        }
        return (id, try await place.assume(RoleSession(roleARN: role, name: "iOS-Provider"), token: token))
    }

    /// Another provider of the same pool, or an earlier run, may have made the identity.
    private func adoptKeptIdentity() {
        guard helper.given.identityId == nil, let kept = memory.identityID else { return }
        helper.given.identityId = kept
    }

    /// Tells apart on disk what keys were asked for with, without showing it.
    private func digest(_ terms: Terms) -> String {
        var parts = [place.address, roles?.authenticated ?? "", roles?.unauthenticated ?? "", terms.role ?? ""]
        for (name, token) in terms.logins.sorted(by: { $0.key < $1.key }) { parts += [name, token] }
        return Digest.hex(Digest.sha256(Array(parts.joined(separator: "\0").utf8)))
    }
}

/// The helper, which may be the user's own code.
private final class CognitoHelper: @unchecked Sendable {
    // Safe because the reference never changes, and the protocol demands members that any thread may use.
    let given: any AWSCognitoCredentialsProviderHelperProtocol

    init(_ helper: any AWSCognitoCredentialsProviderHelperProtocol) {
        given = helper
    }

    var manager: LoginsManager? { given.identityProviderManager.map(LoginsManager.init) }

    func logins() async throws(CredentialsFailure) -> [String: String] {
        try await LoginsManager(given).logins()
    }

    func identityID() async throws(CredentialsFailure) -> String? {
        if let known = given.identityId { return known }
        return try await UserTask.result(asking: "The identity provider") { self.given.getIdentityId() } as String?
    }
}

extension CognitoSession: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
