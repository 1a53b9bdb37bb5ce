// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: chains that a cast gives their type.
import AWSCognito
import AWSCore

/// An OpenID Connect provider, as the Cognito guide shows it.
public final class OIDCProvider: NSObject, AWSIdentityProviderManager {
    let providerName: String
    let source: (AWSTaskCompletionSource<NSString>) -> Void

    public init(providerName: String, source: @escaping (AWSTaskCompletionSource<NSString>) -> Void) {
        self.providerName = providerName
        self.source = source
    }

    public func logins() -> AWSTask<NSDictionary> {
        let completion = AWSTaskCompletionSource<NSString>()
        getToken(tokenCompletion: completion)
        return completion.task.continueOnSuccessWith { (task) -> AWSTask<NSDictionary>? in
            return AWSTask(result: [self.providerName: task.result!])
        } as! AWSTask<NSDictionary>
    }

    func getToken(tokenCompletion: AWSTaskCompletionSource<NSString>) -> Void {
        source(tokenCompletion)
    }
}

/// The developer-authenticated form that casts what its own `token()` gives.
public class CastingHelper: AWSCognitoCredentialsProviderHelper {
    public var response = (identityId: "", token: "")

    public override func token() -> AWSTask<NSString> {
        self.identityId = response.identityId
        return AWSTask(result: response.token as NSString)
    }

    public override func logins() -> AWSTask<NSDictionary> {
        return self.token().continueOnSuccessWith(block: { (task: AWSTask<NSString>) -> AWSTask<NSDictionary>? in
            guard let token = task.result else { return nil }
            return AWSTask(result: [AWSIdentityProviderAmazonCognitoIdentity: token])
        }) as! AWSTask<NSDictionary>
    }
}

/// A sign-in provider, and the manager in the form of Mobile Hub's helper code.
public protocol SignInProvider: AWSIdentityProvider {
    var isLoggedIn: Bool { get }
}

public final class WebSignInProvider: NSObject, SignInProvider {
    public let identityProviderName: String
    public var currentToken: String?

    public init(name: String) {
        identityProviderName = name
    }

    public var isLoggedIn: Bool { return currentToken != nil }

    public func token() -> AWSTask<NSString> {
        guard let token = currentToken else {
            return AWSTask(error: NSError(domain: "SignIn", code: -1, userInfo: nil))
        }
        return AWSTask(result: token as NSString)
    }
}

public final class IdentityManager: NSObject, AWSIdentityProviderManager {
    public static let sharedInstance = IdentityManager()
    public var currentSignInProvider: SignInProvider?

    public func logins() -> AWSTask<NSDictionary> {
        guard let provider = currentSignInProvider, provider.isLoggedIn else { return AWSTask(result: nil) }
        return provider.token().continueWith { (task) -> AWSTask<NSDictionary>? in
            if let token = task.result {
                return AWSTask(result: [provider.identityProviderName: token])
            }
            if let error = task.error {
                return AWSTask(error: error)
            }
            return AWSTask(result: nil)
        } as! AWSTask<NSDictionary>
    }
}

/// A provider that refreshes its token on a queue first, and casts with `as?`.
public final class RefreshingProvider: NSObject, AWSIdentityProviderManager {
    let queue = DispatchQueue(label: "refresh")
    let name: String

    public init(name: String) {
        self.name = name
    }

    public func logins() -> AWSTask<NSDictionary> {
        let chain = refresh().continueOnSuccessWith(executor: AWSExecutor(dispatchQueue: queue), block: { (task) -> AWSTask<NSDictionary>? in
            return AWSTask(result: [self.name: task.result! as String])
        })
        guard let logins = chain as? AWSTask<NSDictionary> else { return AWSTask(result: nil) }
        return logins
    }

    func refresh() -> AWSTask<NSString> {
        return AWSTask(result: "refreshed")
    }
}

/// A credentials provider around another one, with a cast at its end and a token that cancels.
public final class WrappingProvider: NSObject, AWSCredentialsProvider {
    let inner: AWSCredentialsProvider
    let token: AWSCancellationToken?

    public init(_ inner: AWSCredentialsProvider, cancellationToken: AWSCancellationToken? = nil) {
        self.inner = inner
        self.token = cancellationToken
    }

    public func credentials() -> AWSTask<AWSCredentials> {
        return inner.credentials().continueWith(block: { task -> AWSTask<AWSCredentials>? in
            guard let found = task.result else { return AWSTask(error: task.error ?? NSError(domain: "Wrapping", code: 1, userInfo: nil)) }
            return AWSTask(result: found)
        }, cancellationToken: token) as! AWSTask<AWSCredentials>
    }

    public func invalidateCachedTemporaryCredentials() {
        inner.invalidateCachedTemporaryCredentials()
    }
}
