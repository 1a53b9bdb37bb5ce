import Foundation
package import RecorderAWS
import RecorderConcurrency
import RecorderHTTP

/// The identity behind a Cognito provider: starts anew when the logins change, and remembers the identity's id.
package final class CognitoSession: CredentialsSource {
    private struct State {
        var source: CognitoCredentials?
        var logins: [String: String] = [:]
        var identityID: String?
    }

    /// The pool that the identity is in.
    let identityPoolID: String

    private let place: Result<Place, CredentialsFailure>
    private let manager: LoginsManager?
    private let transport: any HTTPTransport
    private let state = Locked(State())

    private struct Place: Sendable {
        let region: Region
        let endpoint: Endpoint?
    }

    init(
        regionType: AWSRegionType,
        identityPoolID: String,
        manager: (any AWSIdentityProviderManager)?,
        environment: [String: String],
        transport: any HTTPTransport
    ) {
        self.identityPoolID = identityPoolID
        self.place = Self.place(regionType, environment)
        self.manager = manager.map(LoginsManager.init)
        self.transport = transport
    }

    /// The identity's id as far as it is known.
    var knownIdentityID: String? { state.withLock { $0.identityID } }

    /// The identity's id: the known one, else a new one from the service.
    func identityID() async throws(CredentialsFailure) -> String {
        let source = try await currentSource()
        do {
            return try await identityID(of: source)
        } catch {
            throw Self.explain(error)
        }
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        let source = try await currentSource()
        do {
            let credentials = try await source.credentials()
            _ = try await identityID(of: source)
            return credentials
        } catch {
            throw Self.explain(error)
        }
    }

    package func invalidate() {
        state.withLock { $0.source }?.invalidate()
    }

    /// Forgets the identity and its keys; the next use makes a new one.
    func clear() {
        state.withLock { $0 = State() }
    }

    private func currentSource() async throws(CredentialsFailure) -> CognitoCredentials {
        let place = try place.get()
        let logins = try await manager?.logins() ?? [:]
        return state.withLock { state in
            if let source = state.source, state.logins == logins { return source }
            let source = CognitoCredentials(
                identityPoolID: identityPoolID,
                region: place.region,
                endpoint: place.endpoint,
                logins: logins,
                identityID: state.identityID,
                transport: transport
            )
            state.source = source
            state.logins = logins
            return source
        }
    }

    /// Asks a source for its id and keeps it, unless another source, or none, has taken its place meanwhile.
    private func identityID(of source: CognitoCredentials) async throws(CredentialsFailure) -> String {
        let id = try await source.identityID()
        state.withLock { state in
            if state.source === source { state.identityID = id }
        }
        return id
    }

    private static func place(
        _ regionType: AWSRegionType,
        _ environment: [String: String]
    ) -> Result<Place, CredentialsFailure> {
        do throws(ConfigurationFailure) {
            guard let name = regionType.name else {
                throw ConfigurationFailure("The Cognito provider's region is .Unknown: give the pool's region.")
            }
            let endpoint = try EnvironmentConfiguration.endpoint(for: .cognitoIdentity, in: environment)
            return .success(Place(region: try Region(name), endpoint: endpoint))
        } catch {
            let cause = NSError(
                domain: AWSCognitoCredentialsProviderErrorDomain,
                code: AWSCognitoCredentialsProviderErrorType.invalidConfiguration.rawValue,
                userInfo: [NSLocalizedDescriptionKey: error.message]
            )
            return .failure(CredentialsFailure(error.message, cause: cause))
        }
    }

    /// Adds the error for users, in Cognito's own domain.
    private static func explain(_ failure: CredentialsFailure) -> CredentialsFailure {
        CredentialsFailure(
            failure.message,
            kind: failure.kind,
            underlying: failure.underlying,
            cause: failure.nsError(.cognitoIdentity)
        )
    }
}

/// The logins that the user's code gives.
private final class LoginsManager: @unchecked Sendable {
    // Safe because the reference never changes, and the protocol demands a method that any thread may call.
    private let manager: any AWSIdentityProviderManager

    init(_ manager: any AWSIdentityProviderManager) {
        self.manager = manager
    }

    func logins() async throws(CredentialsFailure) -> [String: String] {
        let given = try await UserTask.result(asking: "The identity provider manager") { self.manager.logins() }
        guard let given else { return [:] }
        guard let logins = given as? [String: String] else {
            throw CredentialsFailure("The identity provider manager's logins are not strings by strings.")
        }
        return logins
    }
}
