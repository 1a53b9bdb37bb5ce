public import AWSTasks
public import Foundation
package import RecorderAWS
import RecorderConcurrency
public import RecorderConfiguration

/// Provides the temporary keys of an identity in a Cognito identity pool.
///
/// ```swift
/// let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// ```
/// Without role ARNs the keys come from Cognito itself (the enhanced flow). With role ARNs they come from STS, in exchange
/// for a token of Cognito (the classic flow). They are renewed less than ten minutes before they expire. Concurrent callers
/// share one refresh, and after a failed refresh the next call tries again.
///
/// Identity and keys are kept between runs, in a file that only this user can read; see ``storeDirectory``. If
/// `AWS_ENDPOINT_URL_COGNITO_IDENTITY`, `AWS_ENDPOINT_URL_STS` or `AWS_ENDPOINT_URL` is set when the provider is created,
/// requests go there. Safe to use from any thread.
///
/// A subclass may override ``credentials()`` and ``invalidateCachedTemporaryCredentials()``: recorders and clients call
/// them. What it adds must be safe to use from any thread.
open class AWSCognitoCredentialsProvider: NSObject, CredentialsSourceProvider {
    private let session: CognitoSession

    /// A provider without an identity pool, for a subclass that overrides ``credentials()``. Its own tasks fault.
    public override init() {
        session = CognitoSession(poolless: AWSAbstractCognitoCredentialsProviderHelper())
    }

    /// Provides a guest's keys, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    public init(regionType: AWSRegionType, identityPoolId: String) {
        session = CognitoSession(regionType, poolID: identityPoolId, manager: nil)
    }

    /// Provides the keys of the user with the manager's logins, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - identityProviderManager: Provides the logins; nil for a guest.
    public init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityProviderManager: (any AWSIdentityProviderManager)?
    ) {
        session = CognitoSession(regionType, poolID: identityPoolId, manager: identityProviderManager)
    }

    /// Provides the keys of the helper's identity, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool.
    ///   - identityProvider: Provides the identity. Pass your own for identities that your backend authenticates.
    public init(
        regionType: AWSRegionType,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol
    ) {
        session = CognitoSession(identityProvider, roles: nil, services: IdentityServices(region: regionType))
    }

    /// Provides the keys of the helper's identity, by the classic flow; by the enhanced flow if both roles are nil.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool, and of the STS endpoint.
    ///   - unauthRoleArn: The role of guests. If nil, guests get an error.
    ///   - authRoleArn: The role of users with a login. If nil, they get an error.
    ///   - identityProvider: Provides the identity. Its `token()` must be a token of Cognito.
    public init(
        regionType: AWSRegionType,
        unauthRoleArn: String?,
        authRoleArn: String?,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol
    ) {
        session = CognitoSession(
            identityProvider,
            roles: CognitoSession.Roles(unauthenticated: unauthRoleArn, authenticated: authRoleArn),
            services: IdentityServices(region: regionType)
        )
    }

    /// Provides the keys of the user with the manager's logins, by the classic flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool, and of the STS endpoint.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - unauthRoleArn: The role of guests. If nil, guests get an error.
    ///   - authRoleArn: The role of users with a login. If nil, they get an error.
    ///   - identityProviderManager: Provides the logins; nil for a guest.
    public init(
        regionType: AWSRegionType,
        identityPoolId: String,
        unauthRoleArn: String?,
        authRoleArn: String?,
        identityProviderManager: (any AWSIdentityProviderManager)?
    ) {
        session = CognitoSession(
            regionType,
            poolID: identityPoolId,
            manager: identityProviderManager,
            useEnhancedFlow: false,
            roles: CognitoSession.Roles(unauthenticated: unauthRoleArn, authenticated: authRoleArn)
        )
    }

    /// Provides a guest's keys, by the enhanced flow, with custom settings for the calls to Cognito.
    ///
    /// - Parameters:
    ///   - regionType: Has no effect; the configuration's region is used.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - identityPoolConfiguration: Region, address, timeouts and retries; its credentials are not used.
    public init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityPoolConfiguration: AWSServiceConfiguration
    ) {
        session = CognitoSession(
            regionType,
            poolID: identityPoolId,
            manager: nil,
            configuration: identityPoolConfiguration
        )
    }

    /// A provider with custom environment variables and clock; of the classic flow if there are roles.
    package init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityProviderManager: (any AWSIdentityProviderManager)? = nil,
        unauthRoleArn: String? = nil,
        authRoleArn: String? = nil,
        environment: [String: String],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let services = IdentityServices(region: regionType, environment: environment)
        let isClassic = unauthRoleArn != nil || authRoleArn != nil
        let helper = AWSCognitoCredentialsProviderHelper(
            identityPoolId: identityPoolId,
            useEnhancedFlow: !isClassic,
            identityProviderManager: identityProviderManager,
            services: services
        )
        session = CognitoSession(
            helper,
            roles: CognitoSession.Roles(unauthenticated: unauthRoleArn, authenticated: authRoleArn),
            services: services,
            store: CognitoIdentityStore(poolID: identityPoolId, environment: environment, now: now)
        )
    }

    /// A provider with a custom helper and custom environment variables.
    package init(
        regionType: AWSRegionType,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol,
        environment: [String: String]
    ) {
        session = CognitoSession(
            identityProvider,
            roles: nil,
            services: IdentityServices(region: regionType, environment: environment),
            store: CognitoIdentityStore(poolID: identityProvider.identityPoolId, environment: environment)
        )
    }

    /// The directory of the files with identities and their keys. Nil by default: the environment decides.
    ///
    /// Set it before the first provider is created. If it is nil, the directory is `AWS_KINESIS_RECORDER_DIR`, otherwise
    /// `<program>/com.amazonaws.AWSCognitoCredentialsProvider` in `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or
    /// `~/.local/state`. Each pool has its own file. Without any of these directories an identity lasts as long as its
    /// provider.
    public static var storeDirectory: URL? {
        get { CognitoIdentityStore.directory.withLock { $0 } }
        set { CognitoIdentityStore.directory.withLock { $0 = newValue } }
    }

    /// Provides the identity: its ID and its logins.
    open var identityProvider: any AWSCognitoCredentialsProviderHelperProtocol { session.identityProvider }

    /// The pool's ID.
    open var identityPoolId: String { identityProvider.identityPoolId }

    /// The identity's ID; nil until ``getIdentityId()`` or ``credentials()`` has succeeded, in this run of the program or
    /// an earlier one.
    open var identityId: String? { session.knownIdentityID }

    /// The identity's ID: the known one, otherwise a new one from Cognito.
    ///
    /// Faults with Cognito's error, or with an error of `NSURLErrorDomain` if there was no response.
    @discardableResult
    open func getIdentityId() -> AWSTask<NSString> {
        let session = session
        return AWSTask {
            do {
                return NSString(string: try await session.identityID())
            } catch let failure as CredentialsFailure {
                throw failure.nsError(.cognitoIdentity)
            }
        }
    }

    /// Keys that are valid now: cached ones, otherwise new ones.
    ///
    /// Faults with the error of Cognito or STS, with an error of `NSURLErrorDomain` if there was no response, or with an
    /// error of ``AWSCognitoCredentialsProviderErrorDomain``.
    @discardableResult
    open func credentials() -> AWSTask<AWSCredentials> {
        session.credentialsTask()
    }

    /// Deletes the identity and its keys, on disk too; the next use creates a new identity. Calls ``clearCredentials()``.
    open func clearKeychain() {
        session.clear()
        clearCredentials()
    }

    /// Calls ``invalidateCachedTemporaryCredentials()``.
    open func clearCredentials() {
        invalidateCachedTemporaryCredentials()
    }

    /// Deletes the keys, not the identity.
    open func invalidateCachedTemporaryCredentials() {
        session.invalidate()
    }

    /// Sets the provider of logins, instead of one that was given at creation.
    ///
    /// Only the first call in a process has an effect, for whichever provider. New keys are fetched if there are logins.
    open func setIdentityProviderManagerOnce(_ identityProviderManager: any AWSIdentityProviderManager) {
        let isFirst = Self.managerIsSet.withLock { isSet in
            defer { isSet = true }
            return !isSet
        }
        let helper = identityProvider as? AWSAbstractCognitoCredentialsProviderHelper
        if isFirst { helper?.manager = LoginsManager(identityProviderManager) }
    }

    private static let managerIsSet = Locked(false)

    package final var credentialsSource: any CredentialsSource {
        type(of: self) == AWSCognitoCredentialsProvider.self ? session : ProvidedCredentials(from: self)
    }
}

// Safe because it is immutable, helpers may be used from any thread, and a subclass must be safe, too. Not visible in Swift
// 5 mode, as for `AWSCredentials`.
@available(swift, introduced: 6)
extension AWSCognitoCredentialsProvider: @unchecked Sendable {}

extension AWSCognitoCredentialsProvider: CustomReflectable {
    /// Empty, so that `dump` shows no login.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: SDK 2.2 and 2.3

extension AWSCognitoCredentialsProvider {
    /// The access key ID of the last keys; nil until ``credentials()`` has succeeded.
    @available(
        *,
        deprecated,
        message: "Use the result of credentials(), as in provider.credentials().result?.accessKey."
    )
    public var accessKey: String! { session.lastKeys?.accessKeyID }

    /// The secret of the last keys; nil until ``credentials()`` has succeeded.
    @available(
        *,
        deprecated,
        message: "Use the result of credentials(), as in provider.credentials().result?.secretKey."
    )
    public var secretKey: String! { session.lastKeys?.secretAccessKey }

    /// The session token of the last keys; nil until ``credentials()`` has succeeded.
    @available(
        *,
        deprecated,
        message: "Use the result of credentials(), as in provider.credentials().result?.sessionKey."
    )
    public var sessionKey: String! { session.lastKeys?.sessionToken }

    /// When the last keys expire; nil until ``credentials()`` has succeeded.
    @available(
        *,
        deprecated,
        message: "Use the result of credentials(), as in provider.credentials().result?.expiration."
    )
    public var expiration: Date! { session.lastKeys?.expiration }

    /// Fetches new keys, even if the last ones are still valid. The task's result is nil.
    @available(*, deprecated, message: "Call clearCredentials() and then credentials(), whose result is the new keys.")
    @discardableResult
    public func refresh() -> AWSTask<AnyObject>! {
        clearCredentials()
        return credentials().continueOnSuccessWith { _ in nil }
    }
}
