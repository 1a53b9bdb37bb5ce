/// What went wrong, in a sentence.
public typealias ErrorDescription = String

/// How to mend it, in a sentence.
public typealias RecoverySuggestion = String

/// The suggestion where there is none but to look at the cause.
public let defaultRecoverySuggestion: RecoverySuggestion = "Inspect the underlying error for more details."

/// An error that says what went wrong, how to mend it, and what caused it.
public protocol AmplifyError: Error {
    /// What went wrong.
    var errorDescription: ErrorDescription { get }

    /// How to mend it.
    var recoverySuggestion: RecoverySuggestion { get }

    /// The cause, if there is one.
    var underlyingError: (any Error)? { get }

    /// An error with these texts and this cause.
    ///
    /// - Parameters:
    ///   - errorDescription: What went wrong.
    ///   - recoverySuggestion: How to mend it.
    ///   - error: The cause; one of the same type is given back as it is.
    init(errorDescription: ErrorDescription, recoverySuggestion: RecoverySuggestion, error: (any Error)?)
}
