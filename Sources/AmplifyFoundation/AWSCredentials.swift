public import struct Foundation.Date

/// The keys that requests are signed with. Conform a type of your own.
///
/// Conform to ``AWSTemporaryCredentials`` where the keys come with a token: of a type that does not, the token is never
/// sent, and the service refuses the request.
public protocol AWSCredentials {
    /// The public half of the key pair.
    var accessKeyId: String { get }

    /// The secret half of the key pair.
    var secretAccessKey: String { get }
}

/// Keys that come with a token and end at some time.
public protocol AWSTemporaryCredentials: AWSCredentials {
    /// The token that is sent along with every request.
    var sessionToken: String { get }

    /// When the keys end, by this machine's clock.
    var expiration: Date { get }
}

/// Where keys come from. Conform a type of your own.
public protocol AWSCredentialsProvider {
    /// Keys that are valid now.
    ///
    /// A client asks before each request, on any thread, never twice at the same time; so keep what you have until it
    /// nears its end. An error thrown here ends a flush and counts against no record.
    func resolve() async throws -> any AWSCredentials
}
