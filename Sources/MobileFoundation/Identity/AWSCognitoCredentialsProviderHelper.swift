public import AWSTasks
public import Foundation
import RecorderAWS
import RecorderConcurrency
public import RecorderConfiguration

/// The identity behind a Cognito provider: gets its ID and, in the classic flow, a token that authenticates it.
///
/// Credentials providers create their own helpers. Create one yourself for identities that your own backend authenticates:
/// derive a class, override `token()` so that it calls your backend, sets `identityId` to the ID that comes with the token,
/// and returns the token. Then pass it to ``AWSCognitoCredentialsProvider/init(regionType:identityProvider:)``. Safe to use
/// from any thread; your additions must be, too.
@preconcurrency
open class AWSCognitoCredentialsProviderHelper: AWSAbstractCognitoCredentialsProviderHelper {
    /// Whether keys come from Cognito itself. If false, they come from STS, in exchange for a token of Cognito.
    public let useEnhancedFlow: Bool

    private let client: Result<CognitoClient, CredentialsFailure>
    private let flight = SingleFlight<String, CredentialsFailure>(cancelled: .stoppedWaiting)

    init(
        identityPoolId: String,
        useEnhancedFlow: Bool,
        identityProviderManager: (any AWSIdentityProviderManager)?,
        services: IdentityServices
    ) {
        self.useEnhancedFlow = useEnhancedFlow
        client = services.client(poolID: identityPoolId)
        super.init(identityPoolID: identityPoolId, manager: identityProviderManager)
    }

    /// A helper without a pool, for a class that overrides `token()` and `getIdentityId()`. Its own tasks fault.
    public override init() {
        useEnhancedFlow = true
        client = IdentityServices.none.client(poolID: "")
        super.init(identityPoolID: "", manager: nil)
    }

    /// A helper for a pool.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - useEnhancedFlow: Whether keys come from Cognito itself. If false, they come from STS, in exchange for a token of
    ///     Cognito.
    ///   - identityProviderManager: Provides the logins; nil for a guest.
    public init(
        regionType: AWSRegionType,
        identityPoolId: String,
        useEnhancedFlow: Bool,
        identityProviderManager: (any AWSIdentityProviderManager)?
    ) {
        self.useEnhancedFlow = useEnhancedFlow
        client = IdentityServices(region: regionType).client(poolID: identityPoolId)
        super.init(identityPoolID: identityPoolId, manager: identityProviderManager)
    }

    /// A helper for a pool, with custom settings for the calls to Cognito.
    ///
    /// - Parameters:
    ///   - regionType: Has no effect; the configuration's region is used.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - useEnhancedFlow: Whether keys come from Cognito itself. If false, they come from STS, in exchange for a token of
    ///     Cognito.
    ///   - identityProviderManager: Provides the logins; nil for a guest.
    ///   - identityPoolConfiguration: Region, address, timeouts and retries; its credentials are not used.
    public init(
        regionType: AWSRegionType,
        identityPoolId: String,
        useEnhancedFlow: Bool,
        identityProviderManager: (any AWSIdentityProviderManager)?,
        identityPoolConfiguration: AWSServiceConfiguration
    ) {
        self.useEnhancedFlow = useEnhancedFlow
        let services = IdentityServices(region: regionType, configuration: identityPoolConfiguration)
        client = services.client(poolID: identityPoolId)
        super.init(identityPoolID: identityPoolId, manager: identityProviderManager)
    }

    /// The name of Cognito as a login provider, `cognito-identity.amazonaws.com`.
    open override var identityProviderName: String { AWSIdentityProviderAmazonCognitoIdentity }

    /// In the classic flow a token that authenticates the identity. In the enhanced flow the login named
    /// `cognito-identity.amazonaws.com`, or nil.
    @discardableResult
    open override func token() -> AWSTask<NSString> {
        let shared = Shared(helper: self)
        return AWSTask {
            let helper = shared.helper
            _ = try await helper.getIdentityId().value
            let logins = try await withNSError(try await helper.managerLogins())
            if helper.useEnhancedFlow { return logins[helper.identityProviderName].map { NSString(string: $0) } }
            return NSString(string: try await withNSError(try await helper.openIDToken(logins)))
        }
    }

    /// The manager's logins. In the classic flow, or without a manager, only `token()`, if there is one.
    @discardableResult
    open override func logins() -> AWSTask<NSDictionary> {
        let shared = Shared(helper: self)
        return AWSTask {
            let helper = shared.helper
            if helper.manager != nil, helper.useEnhancedFlow {
                _ = try await helper.getIdentityId().value
                return try await withNSError(try await helper.managerLogins()) as NSDictionary
            }
            guard let token = try await helper.token().value else { return nil }
            return [helper.identityProviderName: token]
        }
    }

    /// The identity's ID: the known one, otherwise a new one from Cognito. Concurrent calls share one request.
    ///
    /// Faults with Cognito's error, or with an error of `NSURLErrorDomain` if there was no response.
    @discardableResult
    open override func getIdentityId() -> AWSTask<NSString> {
        if let identityId { return AWSTask(result: NSString(string: identityId)) }
        let shared = Shared(helper: self)
        return AWSTask {
            NSString(string: try await withNSError(try await shared.helper.flight.value(shared.fetchIdentity)))
        }
    }

    private func fetchIdentity() async throws(CredentialsFailure) -> String {
        if let identityId { return identityId }
        let client = try client.get()
        let logins = try await managerLogins()
        // The user's code may have set the ID together with the logins, if a backend authenticates the identity.
        if let identityId { return identityId }
        let clears = clears
        let id = try await client.identityID(logins: logins)
        // Who waits now has asked for another one.
        guard clears == self.clears else { return try await fetchIdentity() }
        identityId = id
        return id
    }

    private func openIDToken(_ logins: [String: String]) async throws(CredentialsFailure) -> String {
        let client = try client.get()
        var retry = IdentityRetry()
        while true {
            let known = try await fetchIdentity()
            let clears = clears
            do throws(CredentialsFailure) {
                let (id, token) = try await client.openIDToken(for: known, logins: logins)
                if clears == self.clears { identityId = id }
                return token
            } catch {
                try retry.checkFirstRefusal(error)
                if identityId == known { identityId = nil }
            }
        }
    }

    private func managerLogins() async throws(CredentialsFailure) -> [String: String] {
        let logins = try await manager?.logins() ?? [:]
        knownLogins = logins
        return logins
    }

    /// The helper in its own tasks.
    private struct Shared: @unchecked Sendable {
        // Safe because all mutable state is behind a lock, and a subclass must be safe, too.
        let helper: AWSCognitoCredentialsProviderHelper

        @Sendable func fetchIdentity() async throws(CredentialsFailure) -> String { try await helper.fetchIdentity() }
    }
}

/// Throws the public error in place of a failure.
private func withNSError<Value>(
    _ work: @autoclosure () async throws(CredentialsFailure) -> Value
) async throws(NSError) -> Value {
    do {
        return try await work()
    } catch {
        throw error.nsError(.cognitoIdentity)
    }
}
