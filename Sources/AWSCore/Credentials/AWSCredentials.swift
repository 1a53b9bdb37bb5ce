public import Foundation
import RecorderAWS

/// The keys that requests are signed with.
///
/// Unlike the original's, the description shows none of them. Never changes; safe to use from any thread.
public final class AWSCredentials: NSObject, CustomReflectable, Sendable {
    /// The public half of the key pair.
    public let accessKey: String

    /// The secret half of the key pair.
    public let secretKey: String

    /// The token that temporary keys come with.
    public let sessionKey: String?

    /// When the keys end; nil if they do not.
    public let expiration: Date?

    /// Credentials.
    ///
    /// - Parameters:
    ///   - accessKey: The public half of the key pair.
    ///   - secretKey: The secret half of the key pair.
    ///   - sessionKey: The token that temporary keys come with.
    ///   - expiration: When the keys end; nil if they do not.
    public init(accessKey: String, secretKey: String, sessionKey: String?, expiration: Date?) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionKey = sessionKey
        self.expiration = expiration
    }

    /// What is safe to log: no key, no token.
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

    /// The same keys as calls know them.
    var credentials: Credentials {
        Credentials(
            accessKeyID: accessKey,
            secretAccessKey: secretKey,
            sessionToken: sessionKey,
            expiration: expiration
        )
    }
}
