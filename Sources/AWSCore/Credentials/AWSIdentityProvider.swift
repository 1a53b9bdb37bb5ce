public import Foundation

/// Gives a token that vouches for the user; conform a class that derives from `NSObject`.
public protocol AWSIdentityProvider: NSObjectProtocol {
    /// The login provider's name, such as `accounts.google.com`.
    var identityProviderName: String { get }

    /// A token that is valid now; nil for a guest. May be called from any thread.
    func token() -> AWSTask<NSString>
}

/// Tells Cognito who the user is: the logins of a provider's identity.
///
/// Conform a class that derives from `NSObject`. Asked for before each use of the identity, from any thread.
public protocol AWSIdentityProviderManager: NSObjectProtocol {
    /// The token of each login by the login provider's name; empty or nil for a guest.
    ///
    /// Both are strings. A dictionary that differs from the one before has new keys fetched.
    func logins() -> AWSTask<NSDictionary>

    /// The role to ask for where the pool gives a login several roles; by default empty, which leaves the choice to the
    /// pool.
    ///
    /// Counts in the enhanced flow alone. A role that differs from the one before has new keys fetched.
    var customRoleArn: String { get }
}

extension AWSIdentityProviderManager {
    /// Empty: the pool chooses the role.
    public var customRoleArn: String { "" }
}

/// What a Cognito provider asks for its identity: the pool, the identity's id, the logins.
///
/// Derive from ``AWSCognitoCredentialsProviderHelper`` rather than conform, for identities that your own backend vouches
/// for: override `token()`, set `identityId` to the id that the backend gives, and return its token.
public protocol AWSCognitoCredentialsProviderHelperProtocol: AWSIdentityProvider, AWSIdentityProviderManager {
    /// Who gives the logins; nil for a guest.
    var identityProviderManager: (any AWSIdentityProviderManager)? { get }

    /// The pool's id, such as `us-east-1:` and a UUID.
    var identityPoolId: String { get }

    /// The identity's id as far as it is known.
    var identityId: String? { get set }

    /// The identity's id: the known one, else a new one.
    func getIdentityId() -> AWSTask<NSString>

    /// Whether the identity had a login when it was last asked for.
    func isAuthenticated() -> Bool

    /// Forgets the identity and its logins.
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

/// The login provider's name for identities that your own backend vouches for.
public let AWSIdentityProviderAmazonCognitoIdentity = "cognito-identity.amazonaws.com"
