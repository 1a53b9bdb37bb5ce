public import Foundation

/// Why a call has no answer from the service. Errors that the service returned are ``AWSServiceError``s.
public struct AWSClientError: Error, Sendable, Equatable {
    /// What kind of failure it is.
    public enum Kind: Sendable {
        /// A setting is invalid; the message says which, and what is valid.
        case configuration
        /// There are no credentials.
        case credentials
        /// The service could not be reached, or its answer did not arrive completely.
        case noAnswer
        /// The service accepted the request, but its answer cannot be decoded.
        case unreadableAnswer
    }

    /// What kind of failure it is.
    public let kind: Kind

    /// What failed and how to fix it.
    public let message: String

    /// What a credentials resolver of the user threw; nil otherwise. Not compared.
    public let cause: (any Error)?

    package init(_ kind: Kind, message: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.cause = cause
    }

    /// Whether kind and message are the same.
    public static func == (one: AWSClientError, other: AWSClientError) -> Bool {
        (one.kind, one.message) == (other.kind, other.message)
    }
}

extension AWSClientError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }

    /// The message.
    public var description: String { message }
}
