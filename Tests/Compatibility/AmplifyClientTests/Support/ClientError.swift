import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation
import Testing

/// An error of either client, with its parts.
struct ClientError {
    enum Kind {
        case cache, cacheLimitExceeded, validation, unknown
    }

    let kind: Kind
    let description: String
    let suggestion: String
    let underlying: (any Error)?
    let localized: String

    /// The error that `body` throws; nil, with an issue, if it throws nothing or something else.
    static func thrown(
        by body: () async throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> ClientError? {
        do {
            try await body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch let error as KinesisError {
            return ClientError(error, kind: kind(error))
        } catch let error as FirehoseError {
            return ClientError(error, kind: kind(error))
        } catch {
            Issue.record("not an error of the clients: \(error)", sourceLocation: sourceLocation)
        }
        return nil
    }

    private init(_ error: any AmplifyError, kind: Kind) {
        self.kind = kind
        description = error.errorDescription
        suggestion = error.recoverySuggestion
        underlying = error.underlyingError
        localized = error.localizedDescription
    }

    private static func kind(_ error: KinesisError) -> Kind {
        switch error {
        case .cache: .cache
        case .cacheLimitExceeded: .cacheLimitExceeded
        case .validation: .validation
        case .unknown: .unknown
        }
    }

    private static func kind(_ error: FirehoseError) -> Kind {
        switch error {
        case .cache: .cache
        case .cacheLimitExceeded: .cacheLimitExceeded
        case .validation: .validation
        case .unknown: .unknown
        }
    }
}
