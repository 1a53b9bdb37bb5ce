import AWSServiceClients
import Foundation
package import RecordClientFoundation
import RecorderAWS
package import RecorderStore

/// The error of a call, in the four kinds that `KinesisError` and `FirehoseError` share.
package struct RecordClientError: Error {
    package enum Kind: Sendable {
        case cache, cacheLimitExceeded, validation, unknown
    }

    package let kind: Kind
    package let description: ErrorDescription
    package let suggestion: RecoverySuggestion
    package let cause: (any Error)?

    private init(_ kind: Kind, description: String, suggestion: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.description = description
        self.suggestion = suggestion
        self.cause = cause
    }

    static func option(_ problem: String, suggestion: String) -> RecordClientError {
        RecordClientError(
            .validation,
            description: "The client cannot be created: \(problem).",
            suggestion: suggestion
        )
    }

    static func region(_ failure: ConfigurationFailure) -> RecordClientError {
        RecordClientError(
            .validation,
            description: failure.message,
            suggestion: "Pass the region's name, such as \"us-east-1\"."
        )
    }

    /// The engine's error.
    package init(_ error: RecorderError) {
        switch error {
        case .invalidRecord(let fault, let text):
            self.init(.validation, description: text, suggestion: fault.suggestion)
        case .storeFull(let text):
            self.init(
                .cacheLimitExceeded,
                description: text,
                suggestion: "Call flush() or clearCache(), or give the client a larger cacheMaxBytes."
            )
        case .storage(let text, _):
            self.init(
                .cache,
                description: text,
                suggestion: "Fix what the description names and try again; records that were cached before stay.",
                cause: error.sqliteCode.map {
                    NSError(domain: "SQLite", code: $0, userInfo: [NSLocalizedDescriptionKey: text])
                }
            )
        case .service(let failure):
            self.init(failure)
        case .configuration(let failure): self.init(failure)
        case .noThread:
            self.init(
                .unknown,
                description: error.message,
                suggestion: "Then try again; records that were cached before stay."
            )
        case .cancelled:
            self.init(
                .unknown,
                description: "The call was cancelled. Records without a response stay cached.",
                suggestion: "Flush again later.",
                cause: CancellationError()
            )
        }
    }

    private init(_ failure: ConfigurationFailure) {
        self.init(
            .unknown,
            description: failure.message,
            suggestion: "Fix the setting that the description names; the records stay cached."
        )
    }

    private init(_ failure: ServiceFailure) {
        let kept = "The records stay cached, and no attempt is counted."
        switch failure.kind {
        case .credentials(let found):
            let reason =
                found.cause.map { "There are no credentials: \($0.localizedDescription)" } ?? found.message
            self.init(
                .unknown,
                description: "\(reason)\(reason.hasSuffix(".") ? "" : ".") \(kept)",
                suggestion: "Set up credentials, or fix the credentials provider, then flush again.",
                cause: found.cause ?? failure.clientError
            )
        case .cancelled: self.init(.cancelled)
        case .configuration(let failure): self.init(failure)
        case .unreadable:
            self.init(
                .unknown,
                description: "\(failure.message) This counts as no attempt.",
                suggestion:
                    "Check for a proxy that changes the service's responses, and check the software of a custom endpoint.",
                cause: failure.clientError
            )
        default:
            self.init(
                .unknown,
                description: "The service gave no answer: \(failure.message) \(kept)",
                suggestion: "Flush again when the network is back; automatic flushes continue.",
                cause: failure.clientError
            )
        }
    }
}

extension RecorderError.Fault {
    fileprivate var suggestion: RecoverySuggestion {
        switch self {
        case .noData: "Pass the data to send."
        case .dataTooLarge: "Split the data into several records, or compress it."
        case .streamName:
            "Pass the stream's name (letters, digits, '_', '.' and '-') or its ARN in the client's region."
        case .partitionKey: "Pass a partition key of 1 to 256 characters (Unicode scalars)."
        }
    }
}

/// How the error becomes a `KinesisError` or a `FirehoseError`.
extension RecordClientError {
    package typealias Case<Failure> = (ErrorDescription, RecoverySuggestion, (any Error)?) -> Failure

    package func mapped<Failure>(
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
