package import AmplifyFoundation
import Foundation

/// How the one error becomes `KinesisError` or `FirehoseError`.
extension RecordClientError {
    package typealias Case<Failure> = (ErrorDescription, RecoverySuggestion, (any Error)?) -> Failure

    package func made<Failure>(
        cache: Case<Failure>,
        cacheLimitExceeded: Case<Failure>,
        validation: Case<Failure>,
        unknown: Case<Failure>
    ) -> Failure {
        switch kind {
        case .cache: cache(description, suggestion, cause)
        case .cacheLimitExceeded: cacheLimitExceeded(description, suggestion, cause)
        case .validation: validation(description, suggestion, cause)
        case .unknown: unknown(description, suggestion, cause)
        }
    }

    package static func userInfo(of error: some AmplifyError) -> [String: Any] {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: "\(error.errorDescription) \(error.recoverySuggestion)",
            NSLocalizedRecoverySuggestionErrorKey: error.recoverySuggestion,
        ]
        userInfo[NSUnderlyingErrorKey] = error.underlyingError
        return userInfo
    }
}
