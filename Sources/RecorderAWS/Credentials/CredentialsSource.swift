package import class Foundation.NSError

/// The seam between a call and the place its keys come from.
package protocol CredentialsSource: Sendable {
    /// Keys that are valid now; nil for a request that goes unsigned.
    func credentials() async throws(CredentialsFailure) -> Credentials?

    /// Forgets what is cached, because the service refused it. Cheap, never waits.
    func invalidate()
}

/// Why there are no credentials.
package struct CredentialsFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds that callers tell apart.
    package enum Kind: Sendable, Equatable {
        /// This source is not set up here; another may be.
        case notConfigured
        /// This source is set up, and it failed.
        case failed
        /// The calling task was cancelled.
        case cancelled
    }

    /// What kind of failure it is.
    package let kind: Kind

    /// What is missing or went wrong, and how to mend it.
    package let message: String

    /// The call that failed, if it was one.
    package let underlying: ServiceFailure?

    /// The error that users are to see for it, if the source knows one, such as that of a provider they wrote.
    package let cause: NSError?

    /// A failure.
    package init(
        _ message: String,
        kind: Kind = .failed,
        underlying: ServiceFailure? = nil,
        cause: NSError? = nil
    ) {
        self.kind = kind
        self.message = message
        self.underlying = underlying
        self.cause = cause
    }

    package var description: String { message }

    /// Whoever waited for keys was cancelled.
    package static let stoppedWaiting = CredentialsFailure("Waiting for credentials was cancelled.", kind: .cancelled)
}
