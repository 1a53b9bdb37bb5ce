public import Foundation
public import RecordClientFoundation

/// The error of a conversion between credentials.
///
/// `localizedDescription` contains the description and the suggestion.
public enum FoundationBridgeError: AmplifyError {
    /// The credentials cannot be converted.
    case unknown(ErrorDescription, (any Error)? = nil)

    /// What went wrong.
    public var errorDescription: ErrorDescription {
        switch self {
        case .unknown(let description, _): description
        }
    }

    /// How to fix it.
    public var recoverySuggestion: RecoverySuggestion { "Give the client a credentials provider that has keys." }

    /// The cause, if there is one.
    public var underlyingError: (any Error)? {
        switch self {
        case .unknown(_, let cause): cause
        }
    }

    /// The error itself if it is a `FoundationBridgeError`, otherwise an `unknown` with this description.
    ///
    /// - Parameters:
    ///   - errorDescription: What went wrong.
    ///   - recoverySuggestion: Not used; all errors have the same one.
    ///   - error: The cause.
    public init(
        errorDescription: ErrorDescription = "The credentials cannot be converted.",
        recoverySuggestion: RecoverySuggestion = defaultRecoverySuggestion,
        error: (any Error)?
    ) {
        self = error as? FoundationBridgeError ?? .unknown(errorDescription, error)
    }
}

extension FoundationBridgeError: CustomNSError {
    /// The description and the suggestion, for `localizedDescription`.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: "\(errorDescription) \(recoverySuggestion)"]
    }
}
