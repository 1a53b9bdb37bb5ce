package import RecorderAWS

public import struct Foundation.Date

/// The keys that sign requests. Descriptions, debug descriptions and mirrors never show them.
public struct AWSCredentialIdentity: Sendable, Equatable {
    /// The access key ID.
    public let accessKey: String

    /// The secret access key.
    public let secret: String

    /// The ID of the account that the keys belong to, 12 digits; nil if it is not known. Requests then go to the account's
    /// own hosts, where the service has them.
    public let accountID: String?

    /// When the keys expire; nil if they do not.
    public let expiration: Date?

    /// The session token of temporary keys.
    public let sessionToken: String?

    /// Creates an identity of a key pair; temporary keys also have a session token and an expiration.
    public init(
        accessKey: String,
        secret: String,
        accountID: String? = nil,
        expiration: Date? = nil,
        sessionToken: String? = nil
    ) {
        self.accessKey = accessKey
        self.secret = secret
        self.accountID = accountID
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
            accountID: credentials.accountID,
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
            expiration: expiration,
            accountID: accountID
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
