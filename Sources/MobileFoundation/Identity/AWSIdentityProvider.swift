public import AWSTasks
public import Foundation
import RecorderAWS
import RecorderConfiguration

/// Provides a token that proves who the user is. Conform a class that derives from `NSObject`.
public protocol AWSIdentityProvider: NSObjectProtocol {
    /// The login provider's name, such as `accounts.google.com`.
    var identityProviderName: String { get }

    /// A token that is valid now; nil for a guest. May be called on any thread.
    @discardableResult
    func token() -> AWSTask<NSString>
}

/// Provides the logins of a user for a Cognito identity.
///
/// Conform a class that derives from `NSObject`. Called before each use of the identity, on any thread.
public protocol AWSIdentityProviderManager: NSObjectProtocol {
    /// The token of each login by the login provider's name, both of them strings; empty or nil for a guest. A key may also
    /// be an ``AWSCognitoLoginProviderKey``, or its raw value.
    ///
    /// If the dictionary differs from the previous one, new keys are fetched.
    @discardableResult
    func logins() -> AWSTask<NSDictionary>

    /// The role to request where the pool offers a login several roles. Empty by default: the pool chooses.
    ///
    /// Used in the enhanced flow only. If the role differs from the previous one, new keys are fetched.
    var customRoleArn: String { get }
}

extension AWSIdentityProviderManager {
    /// Empty: the pool chooses the role.
    public var customRoleArn: String { "" }
}

/// Provides a Cognito provider's identity: the pool, the identity's ID and its logins.
///
/// For identities that your own backend authenticates, derive from ``AWSCognitoCredentialsProviderHelper`` rather than
/// conform: override `token()`, set `identityId` to the ID that the backend returns, and return its token.
public protocol AWSCognitoCredentialsProviderHelperProtocol: AWSIdentityProvider, AWSIdentityProviderManager {
    /// Provides the logins; nil for a guest.
    var identityProviderManager: (any AWSIdentityProviderManager)? { get }

    /// The pool's ID, such as `us-east-1:` and a UUID.
    var identityPoolId: String { get }

    /// The identity's ID, if it is known.
    var identityId: String? { get set }

    /// The identity's ID: the known one, otherwise a new one.
    @discardableResult
    func getIdentityId() -> AWSTask<NSString>

    /// Whether the identity had a login when it was last queried.
    func isAuthenticated() -> Bool

    /// Discards the identity and its logins.
    func clear()
}

/// The login provider's name for Facebook.
public let AWSIdentityProviderFacebook = "graph.facebook.com"

/// The login provider's name for Google.
public let AWSIdentityProviderGoogle = "accounts.google.com"

/// The login provider's name for Login with Amazon.
public let AWSIdentityProviderLoginWithAmazon = "www.amazon.com"

/// The login provider's name for Twitter.
public let AWSIdentityProviderTwitter = "api.twitter.com"

/// The login provider's name for Digits.
public let AWSIdentityProviderDigits = "www.digits.com"

/// The login provider's name for Sign in with Apple.
public let AWSIdentityProviderApple = "appleid.apple.com"

/// The login provider's name for identities that your own backend authenticates.
public let AWSIdentityProviderAmazonCognitoIdentity = "cognito-identity.amazonaws.com"

/// The login providers as SDK 2.3 and earlier named them.
@available(*, deprecated, message: "Use the names of login providers, such as AWSIdentityProviderFacebook.")
public enum AWSCognitoLoginProviderKey: Int, Sendable {
    /// No login provider.
    case unknown
    /// ``AWSIdentityProviderFacebook``.
    case facebook
    /// ``AWSIdentityProviderGoogle``.
    case google
    /// ``AWSIdentityProviderLoginWithAmazon``.
    case loginWithAmazon
    /// ``AWSIdentityProviderTwitter``.
    case twitter

    /// The spelling of Swift 2.
    public static let Unknown = Self.unknown
    /// The spelling of Swift 2.
    public static let Facebook = Self.facebook
    /// The spelling of Swift 2.
    public static let Google = Self.google
    /// The spelling of Swift 2.
    public static let LoginWithAmazon = Self.loginWithAmazon
    /// The spelling of Swift 2.
    public static let Twitter = Self.twitter
}

/// The name of the login provider that a key of the logins stands for; nil for none.
private func loginProvider(_ key: Any) -> String? {
    if let name = key as? String { return name }
    // The raw values of AWSCognitoLoginProviderKey, which is deprecated and so cannot be named here without a warning.
    switch key as? Int ?? (key as? any RawRepresentable<Int>)?.rawValue {
    case 1: return AWSIdentityProviderFacebook
    case 2: return AWSIdentityProviderGoogle
    case 3: return AWSIdentityProviderLoginWithAmazon
    case 4: return AWSIdentityProviderTwitter
    default: return nil
    }
}

/// Awaits the logins of a user's identity provider manager.
final class LoginsManager: @unchecked Sendable {
    // Safe because the reference is immutable, and the protocol requires members that any thread may use.
    let manager: any AWSIdentityProviderManager

    init(_ manager: any AWSIdentityProviderManager) {
        self.manager = manager
    }

    /// The role to request; nil where the pool chooses.
    var customRole: String? {
        let role = manager.customRoleArn
        return role.isEmpty ? nil : role
    }

    func logins() async throws(CredentialsFailure) -> [String: String] {
        let answer = try await ProviderTask.result(of: "The identity provider manager") { self.manager.logins() }
        guard let answer else { return [:] }
        var logins: [String: String] = [:]
        for (key, token) in answer {
            guard let provider = loginProvider(key), let token = token as? String else {
                throw CredentialsFailure("The identity provider manager's logins are not strings by strings.")
            }
            logins[provider] = token
        }
        return logins
    }
}
