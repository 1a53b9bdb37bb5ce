public import struct Foundation.Date

/// The keys that sign requests. Conform a type of your own.
///
/// For keys with a session token conform to ``AWSTemporaryCredentials``. Otherwise the token is not sent, and the service
/// refuses the request.
public protocol AWSCredentials {
    /// The public half of the key pair.
    var accessKeyId: String { get }

    /// The secret half of the key pair.
    var secretAccessKey: String { get }
}

/// Temporary keys, with a session token and an expiration date.
public protocol AWSTemporaryCredentials: AWSCredentials {
    /// The session token, which is sent with every request.
    var sessionToken: String { get }

    /// When the keys expire, by this machine's clock.
    var expiration: Date { get }
}

/// Supplies keys. Conform a type of your own.
public protocol AWSCredentialsProvider {
    /// Keys that are valid now.
    ///
    /// A client calls this before each request, on any thread, one call at a time; only after a flush was cancelled, a new call
    /// does not wait for one that goes on. Cache the keys until shortly before they expire. An error thrown here ends a flush and
    /// does not count as a failed attempt of any record.
    func resolve() async throws -> any AWSCredentials
}
