public import Foundation

/// Tells Cognito who the user is: the logins of a provider's identity.
///
/// Conform a class that derives from `NSObject`. Asked for before each use of the identity, from any thread.
public protocol AWSIdentityProviderManager: NSObjectProtocol {
    /// The token of each login by the login provider's name; empty or nil for a guest.
    ///
    /// Both are strings. A dictionary that differs from the one before has new keys fetched.
    func logins() -> AWSTask<NSDictionary>
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
