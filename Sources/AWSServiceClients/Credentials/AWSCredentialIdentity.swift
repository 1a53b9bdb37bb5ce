package import RecorderAWS

public import struct Foundation.Date

/// The keys that sign requests. Descriptions, debug descriptions and mirrors never show them.
public struct AWSCredentialIdentity: Sendable, Equatable {
    /// The access key ID.
    public let accessKey: String

    /// The secret access key.
    public let secret: String

    /// When the keys expire; nil if they do not.
    public let expiration: Date?

    /// The session token of temporary keys.
    public let sessionToken: String?

    /// Creates an identity of a key pair; temporary keys also have a session token and an expiration.
    public init(accessKey: String, secret: String, expiration: Date? = nil, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secret = secret
        self.expiration = expiration
        self.sessionToken = sessionToken
    }
}

extension AWSCredentialIdentity {
    /// The identity of these credentials.
    package init(_ credentials: Credentials) {
        self.init(
            accessKey: credentials.accessKeyID,
            secret: credentials.secretAccessKey,
            expiration: credentials.expiration,
            sessionToken: credentials.sessionToken
        )
    }

    /// The identity as requests are signed with it.
    var credentials: Credentials {
        Credentials(
            accessKeyID: accessKey,
            secretAccessKey: secret,
            sessionToken: sessionToken,
            expiration: expiration
        )
    }
}

extension AWSCredentialIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, without the keys.
    public var description: String { "AWSCredentialIdentity(redacted)" }

    /// The type's name, without the keys.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
