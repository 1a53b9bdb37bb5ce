public import Foundation

/// Why a call has no answer from the service. A copy of the service's own no is an ``AWSServiceError``.
public struct AWSClientError: Error, Sendable, Equatable {
    /// The kinds that callers tell apart.
    public enum Kind: Sendable {
        /// A setting cannot be used; the message says which and what would do.
        case configuration
        /// There are no credentials.
        case credentials
        /// The service could not be reached, or its answer did not arrive whole.
        case noAnswer
        /// The service took the request, and its answer makes no sense.
        case unreadableAnswer
    }

    /// What kind of failure it is.
    public let kind: Kind

    /// What failed and how to mend it.
    public let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension AWSClientError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }

    /// The message.
    public var description: String { message }
}
