public import Foundation
public import RecordClientFoundation

/// The errors of ``AmplifyKinesisClient`` throw.
///
/// `localizedDescription` contains the description and the suggestion.
public enum KinesisError: AmplifyError {
    /// The cache's file cannot be used, such as for lack of permissions or disk space.
    case cache(ErrorDescription, RecoverySuggestion, (any Error)? = nil)

    /// The cache has no room for the record. Call `flush()` or `clearCache()`.
    case cacheLimitExceeded(ErrorDescription, RecoverySuggestion, (any Error)? = nil)

    /// The record or an option of the client is invalid; nothing was stored.
    case validation(ErrorDescription, RecoverySuggestion, (any Error)? = nil)

    /// Any other error, such as no network, no credentials or a cancelled call.
    case unknown(ErrorDescription, RecoverySuggestion, (any Error)? = nil)

    /// What went wrong.
    public var errorDescription: ErrorDescription { texts.description }

    /// How to fix it.
    public var recoverySuggestion: RecoverySuggestion { texts.suggestion }

    /// The cause, if there is one: the error that a credentials provider threw, an `AWSClientError`, a `CancellationError`, or
    /// an `NSError` of the domain `SQLite` with its extended result code.
    public var underlyingError: (any Error)? { texts.cause }

    /// The error itself if it is a `KinesisError`, otherwise an `unknown` with these texts.
    ///
    /// - Parameters:
    ///   - errorDescription: What went wrong.
    ///   - recoverySuggestion: How to fix it.
    ///   - error: The cause.
    public init(
        errorDescription: ErrorDescription,
        recoverySuggestion: RecoverySuggestion,
        error: (any Error)?
    ) {
        if let error = error as? KinesisError {
            self = error
        } else {
            self = .unknown(errorDescription, recoverySuggestion, error)
        }
    }

    private var texts: (description: String, suggestion: String, cause: (any Error)?) {
        switch self {
        case .cache(let description, let suggestion, let cause),
            .cacheLimitExceeded(let description, let suggestion, let cause),
            .validation(let description, let suggestion, let cause),
            .unknown(let description, let suggestion, let cause):
            (description, suggestion, cause)
        }
    }
}

extension KinesisError: CustomNSError {
    /// The texts under Foundation's keys, for `localizedDescription`.
    public var errorUserInfo: [String: Any] { RecordClientError.userInfo(of: self) }
}

extension KinesisError {
    init(_ error: RecordClientError) {
        self = error.mapped(
            cache: Self.cache,
            cacheLimitExceeded: Self.cacheLimitExceeded,
            validation: Self.validation,
            unknown: Self.unknown
        )
    }
}
