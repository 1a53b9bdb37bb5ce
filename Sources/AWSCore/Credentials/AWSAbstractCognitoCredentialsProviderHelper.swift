public import Foundation
import RecorderConcurrency

/// The parts of a Cognito provider's helper that need no service: where an identity's id and logins are remembered.
///
/// Derive from ``AWSCognitoCredentialsProviderHelper`` instead, unless your backend answers every question about the
/// identity. Safe to use from any thread; what you add must be, too.
open class AWSAbstractCognitoCredentialsProviderHelper: NSObject, AWSCognitoCredentialsProviderHelperProtocol,
    @unchecked Sendable
{
    // Safe because all that changes is behind a lock.

    private struct State {
        var identityID: String?
        var logins: [String: String] = [:]
        var manager: LoginsManager?
    }

    private let poolID: String
    private let state: Locked<State>

    /// A helper of no pool, for a class that overrides `identityPoolId`.
    public override init() {
        poolID = ""
        state = Locked(State())
    }

    init(identityPoolID: String, manager: (any AWSIdentityProviderManager)?) {
        poolID = identityPoolID
        state = Locked(State(manager: manager.map(LoginsManager.init)))
    }

    /// The name under which `token()` is a login.
    open var identityProviderName: String { "AWSAbstractCognitoCredentialsProviderHelper" }

    /// Nil; override it.
    open func token() -> AWSTask<NSString> { AWSTask(result: nil) }

    /// Nil; override it.
    open func logins() -> AWSTask<NSDictionary> { AWSTask(result: nil) }

    /// Empty, so that the pool chooses the role; override it to ask for one.
    open var customRoleArn: String { "" }

    /// Who gives the logins; nil for a guest.
    open var identityProviderManager: (any AWSIdentityProviderManager)? { manager?.given }

    /// The pool's id.
    open var identityPoolId: String { poolID }

    /// The identity's id as far as it is known; one that differs from the one before posts
    /// `AWSCognitoIdentityIdChanged`.
    open var identityId: String? {
        get { state.withLock { $0.identityID } }
        set {
            let previous = state.withLock { state in
                defer { state.identityID = newValue }
                return state.identityID
            }
            guard let newValue, newValue != previous else { return }
            CognitoIdentityNotification.post(from: self, previous: previous, new: newValue)
        }
    }

    /// The known id, or nil; override it to get one.
    open func getIdentityId() -> AWSTask<NSString> {
        AWSTask(result: identityId.map { NSString(string: $0) })
    }

    /// Whether the identity had a login when it was last asked for.
    open func isAuthenticated() -> Bool { !knownLogins.isEmpty }

    /// Forgets the identity and its logins.
    open func clear() {
        identityId = nil
        knownLogins = [:]
    }

    final var manager: LoginsManager? {
        get { state.withLock { $0.manager } }
        set { state.withLock { $0.manager = newValue } }
    }

    /// The logins when they were last asked for.
    final var knownLogins: [String: String] {
        get { state.withLock { $0.logins } }
        set { state.withLock { $0.logins = newValue } }
    }
}

extension AWSAbstractCognitoCredentialsProviderHelper: CustomReflectable {
    /// Empty, so that `dump` shows no login.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
