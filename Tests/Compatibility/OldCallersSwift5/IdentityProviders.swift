// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: who the user is, without casts.
import AWSCognito
import AWSCore

/// The logins of a user who may be signed in with Facebook.
public final class FacebookProvider: NSObject, AWSIdentityProviderManager {
    let token: String?

    public init(token: String?) {
        self.token = token
    }

    public func logins() -> AWSTask<NSDictionary> {
        if let token = token {
            return AWSTask(result: [AWSIdentityProviderFacebook: token])
        }
        return AWSTask(error: NSError(domain: "Facebook Login", code: -1, userInfo: ["Facebook": "No current Facebook access token"]))
    }
}

/// Identities that a backend authenticates: the helper's subclass asks it for an ID and a token.
public class DeveloperAuthenticatedProvider: AWSCognitoCredentialsProviderHelper {
    public var backend: ((@escaping (_ identityId: String, _ token: String) -> Void) -> Void)?
    public private(set) var tokens = 0

    public override func token() -> AWSTask<NSString> {
        let source = AWSTaskCompletionSource<NSString>()
        tokens += 1
        backend?({ identityId, token in
            self.identityId = identityId
            source.set(result: token as NSString)
        })
        return source.task
    }
}

/// The same with a provider of logins behind it, and `logins()` only for users who are signed in.
public class MixedProvider: AWSCognitoCredentialsProviderHelper {
    public var developerToken: String?
    public var developerIdentity: String?

    public override func getIdentityId() -> AWSTask<NSString> {
        guard let identity = developerIdentity else { return super.getIdentityId() }
        self.identityId = identity
        return AWSTask(result: identity as NSString)
    }

    public override func logins() -> AWSTask<NSDictionary> {
        guard let token = developerToken else { return super.logins() }
        return AWSTask(result: [identityProviderName: token])
    }
}

/// A Cognito user pool's session, whose logins come from a completion handler.
public final class UserPoolProvider: NSObject, AWSIdentityProviderManager {
    public typealias Session = (@escaping (String?, Error?) -> Void) -> Void
    let provider: String
    let session: Session

    public init(provider: String, session: @escaping Session) {
        self.provider = provider
        self.session = session
    }

    public func logins() -> AWSTask<NSDictionary> {
        let source = AWSTaskCompletionSource<NSDictionary>()
        session { [provider] token, error in
            if let error = error {
                source.set(error: error)
            } else {
                source.set(result: NSDictionary(object: token!, forKey: provider as NSString))
            }
        }
        return source.task
    }
}

/// A manager that is given later, once the user has signed in.
public func signIn(_ credentialsProvider: AWSCognitoCredentialsProvider, _ manager: AWSIdentityProviderManager) -> AWSTask<AWSCredentials> {
    credentialsProvider.setIdentityProviderManagerOnce(manager)
    credentialsProvider.invalidateCachedTemporaryCredentials()
    return credentialsProvider.credentials()
}

/// An observer of the identity, in block form.
public final class IdentityObserver {
    private var observer: NSObjectProtocol!
    private let lock = NSLock()
    private var seen: [(String?, String?)] = []

    public init(_ provider: AWSCognitoCredentialsProvider) {
        observer = NotificationCenter.default.addObserver(forName: NSNotification.Name.AWSCognitoIdentityIdChanged, object: nil, queue: nil) { [weak self] (notification) in
            guard let self = self, let userInfo = notification.userInfo else { return }
            self.lock.lock()
            self.seen.append((userInfo[AWSCognitoNotificationPreviousId] as? String, userInfo[AWSCognitoNotificationNewId] as? String))
            self.lock.unlock()
        }
    }

    public var changes: [(String?, String?)] {
        lock.lock()
        defer { lock.unlock() }
        return seen
    }
}
