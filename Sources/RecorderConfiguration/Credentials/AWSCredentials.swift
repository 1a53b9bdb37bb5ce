public import Foundation
import RecorderAWS

/// The keys that sign requests.
///
/// Unlike the AWS SDK's class, its description shows none of them. Immutable; safe to use from any thread. What a subclass
/// adds must be, too.
open class AWSCredentials: NSObject, CustomReflectable {
    private let keys: Credentials

    /// The access key ID, the public half of the key pair.
    open var accessKey: String { keys.accessKeyID }

    /// The secret half of the key pair.
    open var secretKey: String { keys.secretAccessKey }

    /// The session token of temporary keys.
    open var sessionKey: String? { keys.sessionToken }

    /// When the keys expire; nil if they do not.
    open var expiration: Date? { keys.expiration }

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - accessKey: The access key ID.
    ///   - secretKey: The secret half of the key pair.
    ///   - sessionKey: The session token of temporary keys.
    ///   - expiration: When the keys expire; nil if they do not.
    public init(accessKey: String, secretKey: String, sessionKey: String?, expiration: Date?) {
        keys = Credentials(
            accessKeyID: accessKey,
            secretAccessKey: secretKey,
            sessionToken: sessionKey,
            expiration: expiration
        )
    }

    /// Empty keys, for a subclass that overrides the properties. Requests signed with empty keys fail.
    public override init() {
        keys = Credentials(accessKeyID: "", secretAccessKey: "")
    }

    /// A text without keys or tokens.
    open override var description: String { "AWSCredentials(redacted)" }

    /// Empty, so that `dump` shows no key and no token.
    open var customMirror: Mirror { Mirror(self, children: []) }
}

// Safe because it is immutable, and a subclass must be safe, too. In Swift 5 mode it is not visible: there, a class that
// derives from an `@unchecked Sendable` class gets a warning if it does not restate that.
@available(swift, introduced: 6)
extension AWSCredentials: @unchecked Sendable {}

extension AWSCredentials {
    convenience init(_ credentials: Credentials) {
        self.init(
            accessKey: credentials.accessKeyID,
            secretKey: credentials.secretAccessKey,
            sessionKey: credentials.sessionToken,
            expiration: credentials.expiration
        )
    }

    /// The same keys in the type that calls use.
    var credentials: Credentials {
        Credentials(
            accessKeyID: accessKey,
            secretAccessKey: secretKey,
            sessionToken: sessionKey,
            expiration: expiration
        )
    }
}
