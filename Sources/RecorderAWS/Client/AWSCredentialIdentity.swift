public import struct Foundation.Date

/// The keys that sign requests. No description, debug text or mirror shows any of them.
public struct AWSCredentialIdentity: Sendable, Equatable {
    /// The public half of the key pair.
    public let accessKey: String

    /// The secret half of the key pair.
    public let secret: String

    /// When the keys end; nil if they do not.
    public let expiration: Date?

    /// The token that temporary keys come with.
    public let sessionToken: String?

    /// A key pair, with the token and the end of temporary ones.
    public init(accessKey: String, secret: String, expiration: Date? = nil, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secret = secret
        self.expiration = expiration
        self.sessionToken = sessionToken
    }
}

extension AWSCredentialIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is, without the keys.
    public var description: String { "AWSCredentialIdentity(redacted)" }

    /// Says what it is, without the keys.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Gives the keys for a request. Asked once for every request, from any thread, so keep what is costly to get.
public protocol AWSCredentialIdentityResolver: Sendable {
    /// Keys that are valid now. What it throws fails the call that asked.
    func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity
}

/// What a resolver is told about the request: nothing, for now. It is there so that resolvers compile as they are.
public struct Attributes: Sendable {
    /// No attributes.
    public init() {}
}

extension AWSCredentialIdentityResolver {
    /// Keys that are valid now.
    public func getIdentity() async throws -> AWSCredentialIdentity {
        try await getIdentity(identityProperties: nil)
    }
}

/// Keys given once, for good.
public struct StaticAWSCredentialIdentityResolver: AWSCredentialIdentityResolver {
    private let identity: AWSCredentialIdentity

    /// A resolver that always gives these.
    public init(_ identity: AWSCredentialIdentity) {
        self.identity = identity
    }

    /// The keys.
    public func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity { identity }
}
