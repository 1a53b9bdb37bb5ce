public import Foundation
package import RecorderAWS
import RecorderConcurrency

/// Gives the temporary keys of an identity in a Cognito identity pool.
///
/// ```swift
/// let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// ```
/// Without role ARNs the keys come from Cognito itself (the enhanced flow), with them from STS, for a token of Cognito
/// (the classic flow). They are renewed when less than ten minutes of their life are left; callers at the same time share
/// one refresh, and a refresh that failed is tried again by the next call.
///
/// Identity and keys outlive the process, in a file that only this user can read; see ``storeDirectory``. Where
/// `AWS_ENDPOINT_URL_COGNITO_IDENTITY`, `AWS_ENDPOINT_URL_STS` or `AWS_ENDPOINT_URL` is set when the provider is made,
/// Cognito and STS are asked there. Safe to use from any thread.
public final class AWSCognitoCredentialsProvider: NSObject, CredentialsSourceProvider, @unchecked Sendable {
    // Safe because nothing changes here, and helpers are made for any thread.

    /// What gives the identity: its id and its logins.
    public let identityProvider: any AWSCognitoCredentialsProviderHelperProtocol

    private let session: CognitoSession

    init(
        _ identityProvider: any AWSCognitoCredentialsProviderHelperProtocol,
        roles: CognitoSession.Roles? = nil,
        place: CognitoPlace,
        memory: CognitoMemory? = nil
    ) {
        self.identityProvider = identityProvider
        let memory = memory ?? CognitoMemory(poolID: identityProvider.identityPoolId)
        session = CognitoSession(identityProvider, roles: roles, place: place, memory: memory)
    }

    /// The directory that identities and their keys are kept in; nil, the default, leaves the choice to the environment.
    ///
    /// Set it before the first provider is made. Without it: `AWS_KINESIS_RECORDER_DIR`, else
    /// `<program>/com.amazonaws.AWSCognitoCredentialsProvider` in `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or
    /// `~/.local/state`. Each pool has a file of its own. Where there is no place at all, an identity lasts as long as its
    /// provider.
    public static var storeDirectory: URL? {
        get { CognitoMemory.directory.withLock { $0 } }
        set { CognitoMemory.directory.withLock { $0 = newValue } }
    }

    /// The pool's id.
    public var identityPoolId: String { identityProvider.identityPoolId }

    /// The identity's id; nil until ``getIdentityId()`` or ``credentials()`` has succeeded, in this run of the program or
    /// an earlier one.
    public var identityId: String? { session.knownIdentityID }

    /// The identity's id: the known one, else a new one from Cognito.
    ///
    /// Faults with Cognito's error, or with one of `NSURLErrorDomain` where there was no answer.
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

    /// Keys that are valid now: those at hand, else new ones.
    ///
    /// Faults with the error of Cognito or STS, with one of `NSURLErrorDomain` where there was no answer, or with one of
    /// ``AWSCognitoCredentialsProviderErrorDomain``.
    public func credentials() -> AWSTask<AWSCredentials> {
        session.credentialsTask()
    }

    /// Forgets the identity and its keys, on disk too; the next use makes a new one.
    public func clearKeychain() {
        session.clear()
    }

    /// Forgets the keys, not the identity.
    public func clearCredentials() {
        session.invalidate()
    }

    /// Forgets the keys, not the identity.
    public func invalidateCachedTemporaryCredentials() {
        session.invalidate()
    }

    /// Says who gives the logins, for a provider that was made without.
    ///
    /// Counts once in a process, whatever the provider; later calls have no effect. Keys are fetched anew if there are
    /// logins.
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
