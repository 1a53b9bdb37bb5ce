/// What went wrong, in a sentence.
public typealias ErrorDescription = String

/// How to fix it, in a sentence.
public typealias RecoverySuggestion = String

/// The suggestion if there is no specific one.
public let defaultRecoverySuggestion: RecoverySuggestion = "Inspect the underlying error for more details."

/// An error with a description, a suggestion and a cause.
public protocol AmplifyError: Error {
    /// What went wrong.
    var errorDescription: ErrorDescription { get }

    /// How to fix it.
    var recoverySuggestion: RecoverySuggestion { get }

    /// The cause, if any.
    var underlyingError: (any Error)? { get }

    /// An error with these texts and this cause.
    ///
    /// - Parameters:
    ///   - errorDescription: What went wrong.
    ///   - recoverySuggestion: How to fix it.
    ///   - error: The cause. An error of the same type is returned unchanged.
    init(errorDescription: ErrorDescription, recoverySuggestion: RecoverySuggestion, error: (any Error)?)
}
