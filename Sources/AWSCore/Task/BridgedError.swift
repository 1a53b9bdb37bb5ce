import Foundation

/// A Swift error in the shape that `as? NSError` finds; Linux loses that cast for every error that is not an object.
final class BridgedError: NSError, @unchecked Sendable {
    // Safe because it never changes, and errors are Sendable.
    let original: any Error

    private init(_ original: any Error) {
        let shape = original as NSError
        self.original = original
        super.init(domain: shape.domain, code: shape.code, userInfo: shape.userInfo)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) {
        fatalError("An error that wraps a Swift error is never decoded.")
    }

    /// The error itself where it is an object already, so that identity survives a chain.
    static func bridge(_ error: any Error) -> NSError {
        // By way of Any: the compiler takes the direct cast for one that always succeeds.
        (error as Any) as? NSError ?? BridgedError(error)
    }
}
