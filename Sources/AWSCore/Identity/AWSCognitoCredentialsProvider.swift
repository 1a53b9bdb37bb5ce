public import Foundation
package import RecorderAWS
import RecorderConcurrency

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
public final class AWSCognitoCredentialsProvider: NSObject, CredentialsSourceProvider, @unchecked Sendable {
    // Safe because it is immutable, and helpers may be used from any thread.

    /// Provides the identity: its ID and its logins.
    public let identityProvider: any AWSCognitoCredentialsProviderHelperProtocol

    private let session: CognitoSession

    init(
        _ identityProvider: any AWSCognitoCredentialsProviderHelperProtocol,
        roles: CognitoSession.Roles? = nil,
        services: IdentityServices,
        store: CognitoIdentityStore? = nil
    ) {
        self.identityProvider = identityProvider
        let store = store ?? CognitoIdentityStore(poolID: identityProvider.identityPoolId)
        session = CognitoSession(identityProvider, roles: roles, services: services, store: store)
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

    /// The pool's ID.
    public var identityPoolId: String { identityProvider.identityPoolId }

    /// The identity's ID; nil until ``getIdentityId()`` or ``credentials()`` has succeeded, in this run of the program or
    /// an earlier one.
    public var identityId: String? { session.knownIdentityID }

    /// The identity's ID: the known one, otherwise a new one from Cognito.
    ///
    /// Faults with Cognito's error, or with an error of `NSURLErrorDomain` if there was no response.
    public func getIdentityId() -> AWSTask<NSString> {
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
    public func credentials() -> AWSTask<AWSCredentials> {
        session.credentialsTask()
    }

    /// Deletes the identity and its keys, on disk too; the next use creates a new identity.
    public func clearKeychain() {
        session.clear()
    }

    /// Deletes the keys, not the identity.
    public func clearCredentials() {
        session.invalidate()
    }

    /// Deletes the keys, not the identity.
    public func invalidateCachedTemporaryCredentials() {
        session.invalidate()
    }

    /// Sets the provider of logins, if none was given at creation.
    ///
    /// Only the first call in a process has an effect, for whichever provider. New keys are fetched if there are logins.
    public func setIdentityProviderManagerOnce(_ identityProviderManager: any AWSIdentityProviderManager) {
        let isFirst = Self.managerIsSet.withLock { isSet in
            defer { isSet = true }
            return !isSet
        }
        let helper = identityProvider as? AWSAbstractCognitoCredentialsProviderHelper
        if isFirst { helper?.manager = LoginsManager(identityProviderManager) }
    }

    private static let managerIsSet = Locked(false)

    package var credentialsSource: any CredentialsSource { session }
}

extension AWSCognitoCredentialsProvider: CustomReflectable {
    /// Empty, so that `dump` shows no login.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
