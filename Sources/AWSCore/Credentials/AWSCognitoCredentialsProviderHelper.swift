public import Foundation
import RecorderAWS
import RecorderConcurrency

/// The identity behind a Cognito provider: gets its id, and in the classic flow a token that vouches for it.
///
/// Credentials providers make their own. Make one yourself for identities that your own backend vouches for: derive a
/// class, override `token()` so that it asks your backend, sets `identityId` to the id that comes with the token, and
/// returns the token; then give it to ``AWSCognitoCredentialsProvider/init(regionType:identityProvider:)``. Safe to use
/// from any thread; what you add must be, too.
open class AWSCognitoCredentialsProviderHelper: AWSAbstractCognitoCredentialsProviderHelper, @unchecked Sendable {
    // Safe because what changes is in the superclass or behind a lock.

    /// Whether keys come from Cognito itself; false where they come from STS, for a token of Cognito.
    public let useEnhancedFlow: Bool

    private let client: Result<CognitoClient, CredentialsFailure>
    private let flight = SingleFlight<String, CredentialsFailure>(cancelled: .stoppedWaiting)

    init(
        identityPoolId: String,
        useEnhancedFlow: Bool,
        identityProviderManager: (any AWSIdentityProviderManager)?,
        place: CognitoPlace
    ) {
        self.useEnhancedFlow = useEnhancedFlow
        client = place.client(poolID: identityPoolId)
        super.init(identityPoolID: identityPoolId, manager: identityProviderManager)
    }

    /// A helper for a pool.
    ///
    /// - Parameters:
    ///   - regionType: The region that the pool is in.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
    ///   - useEnhancedFlow: Whether keys come from Cognito itself; false where they come from STS, for a token of Cognito.
    ///   - identityProviderManager: Gives the logins; nil for a guest.
    public init(
        regionType: AWSRegionType,
        identityPoolId: String,
        useEnhancedFlow: Bool,
        identityProviderManager: (any AWSIdentityProviderManager)?
    ) {
        self.useEnhancedFlow = useEnhancedFlow
        client = CognitoPlace(regionType).client(poolID: identityPoolId)
        super.init(identityPoolID: identityPoolId, manager: identityProviderManager)
    }

    /// A helper for a pool, with settings of its own for the calls to Cognito.
    ///
    /// - Parameters:
    ///   - regionType: Has no effect; the configuration's region counts.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
    ///   - useEnhancedFlow: Whether keys come from Cognito itself; false where they come from STS, for a token of Cognito.
    ///   - identityProviderManager: Gives the logins; nil for a guest.
    ///   - identityPoolConfiguration: Region, address, timeouts and retries; its credentials are not used.
    public init(
        regionType: AWSRegionType,
        identityPoolId: String,
        useEnhancedFlow: Bool,
        identityProviderManager: (any AWSIdentityProviderManager)?,
        identityPoolConfiguration: AWSServiceConfiguration
    ) {
        self.useEnhancedFlow = useEnhancedFlow
        client = CognitoPlace(regionType, identityPoolConfiguration).client(poolID: identityPoolId)
        super.init(identityPoolID: identityPoolId, manager: identityProviderManager)
    }

    /// The name of Cognito as a login provider, `cognito-identity.amazonaws.com`.
    open override var identityProviderName: String { AWSIdentityProviderAmazonCognitoIdentity }

    /// In the classic flow a token that vouches for the identity; in the enhanced one the login named
    /// `cognito-identity.amazonaws.com`, or nil.
    open override func token() -> AWSTask<NSString> {
        AWSTask { [self] in
            _ = try await getIdentityId().value
            let logins = try await askForLogins()
            if useEnhancedFlow { return logins[identityProviderName].map { NSString(string: $0) } }
            return NSString(
                string: try await explained { () throws(CredentialsFailure) in try await openIDToken(logins) }
            )
        }
    }

    /// The manager's logins; in the classic flow, and without a manager, `token()` alone, if there is one.
    open override func logins() -> AWSTask<NSDictionary> {
        AWSTask { [self] in
            if manager != nil, useEnhancedFlow {
                _ = try await getIdentityId().value
                return try await askForLogins() as NSDictionary
            }
            guard let token = try await token().value else { return nil }
            return [identityProviderName: token]
        }
    }

    /// The identity's id: the known one, else a new one from Cognito. Calls at the same time share one request.
    ///
    /// Faults with Cognito's error, or with one of `NSURLErrorDomain` where there was no answer.
    open override func getIdentityId() -> AWSTask<NSString> {
        if let identityId { return AWSTask(result: NSString(string: identityId)) }
        return AWSTask { [self] in
            NSString(
                string: try await explained { () throws(CredentialsFailure) in
                    try await flight.value { () throws(CredentialsFailure) in try await self.fetchIdentity() }
                }
            )
        }
    }

    private func fetchIdentity() async throws(CredentialsFailure) -> String {
        if let identityId { return identityId }
        let client = try client.get()
        let logins = try await managerLogins()
        // The user's code may have set the id while it made the logins, as identities of a backend do.
        if let identityId { return identityId }
        let id = try await client.identityID(logins: logins)
        identityId = id
        return id
    }

    private func openIDToken(_ logins: [String: String]) async throws(CredentialsFailure) -> String {
        let client = try client.get()
        let (id, token) = try await CognitoRefusal.withOtherIdentityIfRefused { () throws(CredentialsFailure) in
            if let identityId = self.identityId { return identityId }
            return try await self.fetchIdentity()
        } drop: { _ in
            self.identityId = nil
        } call: { (id) throws(CredentialsFailure) in
            try await client.openIDToken(for: id, logins: logins)
        }
        identityId = id
        return token
    }

    private func askForLogins() async throws -> [String: String] {
        try await explained { () throws(CredentialsFailure) in try await managerLogins() }
    }

    private func managerLogins() async throws(CredentialsFailure) -> [String: String] {
        let logins = try await manager?.logins() ?? [:]
        knownLogins = logins
        return logins
    }

    private func explained<Value>(
        _ work: () async throws(CredentialsFailure) -> Value
    ) async throws(NSError) -> Value {
        do {
            return try await work()
        } catch {
            throw error.nsError(.cognitoIdentity)
        }
    }
}
