import Foundation

/// How a task ended.
enum TaskOutcome: @unchecked Sendable {
    // Safe because tasks only pass results on. Whether a result may be used on several threads is up to its users.
    case succeeded(AnyObject?)
    case faulted(NSError)
    case cancelled

    /// The outcome of a task whose block threw: cancelled for a `CancellationError`, otherwise faulted.
    init(thrown error: any Error) {
        self = error is CancellationError ? .cancelled : .faulted(BridgedError.bridge(error))
    }

    var isSuccess: Bool {
        if case .succeeded = self { true } else { false }
    }

    /// The outcome of a task that completes with this one: cancelled if the token is cancelled by now, otherwise the same.
    func forwarded(under token: AWSCancellationToken?) -> TaskOutcome {
        if let token, token.wasCancelled { .cancelled } else { self }
    }
}

/// A Swift error as an `NSError` object. On Linux `as? NSError` fails for errors that are not objects already.
final class BridgedError: NSError, @unchecked Sendable {
    // Safe because it is immutable, and errors are Sendable.
    let original: any Error

    private init(_ original: any Error) {
        let bridged = original as NSError
        self.original = original
        super.init(domain: bridged.domain, code: bridged.code, userInfo: bridged.userInfo)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) {
        fatalError("BridgedError does not support coding.")
    }

    /// The error as an object. An error that is an object already is returned as it is, so a chain keeps its identity.
    static func bridge(_ error: any Error) -> NSError {
        // Cast through Any: the compiler assumes that the direct cast always succeeds.
        (error as Any) as? NSError ?? BridgedError(error)
    }
}
