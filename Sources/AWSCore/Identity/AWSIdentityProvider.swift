public import Foundation
import RecorderAWS

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
    /// The token of each login by the login provider's name, both of them strings; empty or nil for a guest.
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
        guard let logins = answer as? [String: String] else {
            throw CredentialsFailure("The identity provider manager's logins are not strings by strings.")
        }
        return logins
    }
}
