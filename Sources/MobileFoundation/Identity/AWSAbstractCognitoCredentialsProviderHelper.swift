public import AWSTasks
public import Foundation
import RecorderConcurrency

/// The part of a Cognito provider's helper that needs no service: it holds the identity's ID and logins.
///
/// Derive from ``AWSCognitoCredentialsProviderHelper`` instead, unless your backend provides everything about the
/// identity. Safe to use from any thread; your additions must be, too.
///
/// It is not `Sendable`, so that a subclass gets no warning in Swift 5 mode. A subclass that is passed between tasks can be
/// declared `@unchecked Sendable`.
@preconcurrency
open class AWSAbstractCognitoCredentialsProviderHelper: NSObject, AWSCognitoCredentialsProviderHelperProtocol {
    private struct State {
        var identityID: String?
        var logins: [String: String] = [:]
        var manager: LoginsManager?
        var clears = 0
    }

    private let poolID: String
    private let state: Locked<State>

    /// A helper without a pool, for a class that overrides `identityPoolId`.
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
    @discardableResult
    open func token() -> AWSTask<NSString> { AWSTask(result: nil) }

    /// Nil; override it.
    @discardableResult
    open func logins() -> AWSTask<NSDictionary> { AWSTask(result: nil) }

    /// Empty, so that the pool chooses the role; override it to request one.
    open var customRoleArn: String { "" }

    /// Provides the logins; nil for a guest.
    open var identityProviderManager: (any AWSIdentityProviderManager)? { manager?.manager }

    /// The pool's ID.
    open var identityPoolId: String { poolID }

    /// The identity's ID, if it is known. Setting a different one posts `AWSCognitoIdentityIdChanged`.
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

    /// The known ID, or nil; override it to get one.
    @discardableResult
    open func getIdentityId() -> AWSTask<NSString> {
        AWSTask(result: identityId.map { NSString(string: $0) })
    }

    /// Whether the identity had a login when it was last queried.
    open func isAuthenticated() -> Bool { !knownLogins.isEmpty }

    /// Discards the identity and its logins.
    open func clear() {
        state.withLock { $0.clears += 1 }
        identityId = nil
        knownLogins = [:]
    }

    /// How often it was cleared: an identity that was asked for before is not kept.
    final var clears: Int { state.withLock { $0.clears } }

    final var manager: LoginsManager? {
        get { state.withLock { $0.manager } }
        set { state.withLock { $0.manager = newValue } }
    }

    /// The logins that were returned last.
    final var knownLogins: [String: String] {
        get { state.withLock { $0.logins } }
        set { state.withLock { $0.logins = newValue } }
    }
}

extension AWSAbstractCognitoCredentialsProviderHelper: CustomReflectable {
    /// Empty, so that `dump` shows no login.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: the notification of a new identity

/// The Swift 2 name of `NSNotification.Name.AWSCognitoIdentityIdChanged`.
public let AWSCognitoIdentityIdChangedNotification =
    "com.amazonaws.services.cognitoidentity.AWSCognitoIdentityIdChangedNotification"

/// The key of the previous ID, a `String`, in the notification's `userInfo`; absent if there was none.
public let AWSCognitoNotificationPreviousId = "PREVID"

/// The key of the new ID, a `String`, in the notification's `userInfo`.
public let AWSCognitoNotificationNewId = "NEWID"

extension NSNotification.Name {
    /// Posted when a Cognito identity gets its first ID or a different one; not when it is cleared.
    ///
    /// The sender is the helper, which is the credentials provider's `identityProvider`. Posted after the change, on a
    /// background thread, in the order of the changes.
    public static let AWSCognitoIdentityIdChanged = NSNotification.Name(AWSCognitoIdentityIdChangedNotification)
}

/// Posts notifications one at a time, outside the thread that changed the ID.
private enum CognitoIdentityNotification {
    private static let queue = DispatchQueue(label: "AWSCognitoIdentityIdChanged")

    static func post(from sender: AWSAbstractCognitoCredentialsProviderHelper, previous: String?, new: String) {
        let sender = CognitoHelper(sender)
        queue.async {
            var userInfo = [AWSCognitoNotificationNewId: new]
            userInfo[AWSCognitoNotificationPreviousId] = previous
            NotificationCenter.default.post(
                name: .AWSCognitoIdentityIdChanged,
                object: sender.wrapped,
                userInfo: userInfo
            )
        }
    }
}
