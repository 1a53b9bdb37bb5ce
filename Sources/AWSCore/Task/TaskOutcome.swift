import Foundation

/// How a task ended.
enum TaskOutcome: @unchecked Sendable {
    // Safe because tasks only pass results on; what a result may be used for is up to those who share it.
    case succeeded(AnyObject?)
    case faulted(NSError)
    case cancelled

    /// The outcome of a task whose block threw: cancelled for a `CancellationError`, else faulted.
    init(thrown error: any Error) {
        self = error is CancellationError ? .cancelled : .faulted(BridgedError.bridge(error))
    }

    var isSuccess: Bool {
        if case .succeeded = self { true } else { false }
    }

    /// The outcome for a task that ends as this one did; a cancelled token comes before everything.
    func adopted(under token: AWSCancellationToken?) -> TaskOutcome {
        if let token, token.wasCancelled { .cancelled } else { self }
    }
}
