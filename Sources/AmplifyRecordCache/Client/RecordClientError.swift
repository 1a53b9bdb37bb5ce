import AWSServiceClients
package import AmplifyFoundation
import Foundation
import RecorderAWS
package import RecorderEngine

/// What went wrong, in the four kinds that both clients' errors have.
package struct RecordClientError: Error {
    package enum Kind: Sendable {
        case cache, cacheLimitExceeded, validation, unknown
    }

    package let kind: Kind
    package let description: ErrorDescription
    package let suggestion: RecoverySuggestion
    package let cause: (any Error)?

    private init(_ kind: Kind, _ description: String, _ suggestion: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.description = description
        self.suggestion = suggestion
        self.cause = cause
    }

    static func option(_ problem: String, _ suggestion: String) -> RecordClientError {
        RecordClientError(.validation, "The client cannot be made: \(problem).", suggestion)
    }

    static func region(_ failure: ConfigurationFailure) -> RecordClientError {
        RecordClientError(.validation, failure.message, "Pass the region's name, such as \"us-east-1\".")
    }

    /// The engine's error. `credentialsError` is what the user's provider threw, if it was asked.
    package init(_ error: RecorderError, credentialsError: (any Error)? = nil) {
        switch error {
        case .invalidRecord(let fault, let text):
            self.init(.validation, text, fault.suggestion)
        case .storeFull(let text):
            self.init(
                .cacheLimitExceeded,
                text,
                "Call flush() or clearCache(), or give the client a larger cacheMaxBytes."
            )
        case .storage(let text, _):
            self.init(
                .cache,
                text,
                "Mend what the description names and try again; what was cached before stays.",
                cause: error.sqliteCode.map {
                    NSError(domain: "SQLite", code: $0, userInfo: [NSLocalizedDescriptionKey: text])
                }
            )
        case .service(let failure):
            self.init(failure, credentialsError)
        case .configuration(let failure):
            self.init(.unknown, failure.message, "Mend the setting that is named; the records stay cached.")
        case .cancelled:
            self.init(
                .unknown,
                "The call was cancelled. Records without an answer stay cached.",
                "Flush again when there is time.",
                cause: CancellationError()
            )
        }
    }

    private init(_ failure: ServiceFailure, _ credentialsError: (any Error)?) {
        let kept = "The records stay cached, and no attempt is counted."
        switch failure.kind {
        case .credentials:
            self.init(
                .unknown,
                "There are no credentials: \(credentialsError?.localizedDescription ?? failure.message) \(kept)",
                "Sign in or mend the credentials provider, then flush again.",
                cause: credentialsError ?? failure.clientError
            )
        case .cancelled: self.init(.cancelled)
        case .unreadable:
            self.init(
                .unknown,
                "\(failure.message) This counts as no attempt.",
                "Look for what changes answers on the way from the service, such as a proxy or the endpoint's own software.",
                cause: failure.clientError
            )
        default:
            self.init(
                .unknown,
                "The service gave no answer: \(failure.message) \(kept)",
                "Flush again when the network is back; an automatic flush does so by itself.",
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
        case .streamName: "Pass the stream's name: letters, digits, '_', '.' and '-'."
        case .partitionKey: "Pass a partition key of 1 to 256 characters (Unicode scalars)."
        }
    }
}
