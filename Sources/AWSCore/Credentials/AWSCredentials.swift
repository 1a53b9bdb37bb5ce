public import Foundation
import RecorderAWS

/// The keys that sign requests.
///
/// Unlike the AWS SDK's class, its description shows none of them. Immutable; safe to use from any thread.
public final class AWSCredentials: NSObject, CustomReflectable, Sendable {
    /// The access key ID, the public half of the key pair.
    public let accessKey: String

    /// The secret half of the key pair.
    public let secretKey: String

    /// The session token of temporary keys.
    public let sessionKey: String?

    /// When the keys expire; nil if they do not.
    public let expiration: Date?

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - accessKey: The access key ID.
    ///   - secretKey: The secret half of the key pair.
    ///   - sessionKey: The session token of temporary keys.
    ///   - expiration: When the keys expire; nil if they do not.
    public init(accessKey: String, secretKey: String, sessionKey: String?, expiration: Date?) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionKey = sessionKey
        self.expiration = expiration
    }

    /// A text without keys or tokens.
    public override var description: String { "AWSCredentials(redacted)" }

    /// Empty, so that `dump` shows no key and no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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
