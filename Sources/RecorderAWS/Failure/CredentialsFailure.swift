import RecorderHTTP

/// Why there are no credentials.
package struct CredentialsFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds that callers distinguish.
    package enum Kind: Sendable, Equatable {
        /// This source is not set up here; another one may be.
        case notConfigured
        /// This source is set up, and it failed.
        case failed
        /// The calling task was cancelled.
        case cancelled
    }

    /// The kind of failure.
    package let kind: Kind

    /// What is missing or went wrong, and how to fix it.
    package let message: String

    /// The failed call, if there was one.
    package let underlying: ServiceFailure?

    /// The error to show to users instead, such as one thrown by a provider that they wrote.
    package var cause: (any Error)?

    /// A failure.
    package init(
        _ message: String,
        kind: Kind = .failed,
        underlying: ServiceFailure? = nil,
        cause: (any Error)? = nil
    ) {
        self.kind = kind
        self.message = message
        self.underlying = underlying
        self.cause = cause
    }

    /// The failure of a source that needs a setting which failed.
    init(_ message: String, of setting: ConfigurationFailure) {
        let failure = ConfigurationFailure(message, isTemporary: setting.isTemporary)
        self.init(
            message,
            underlying: setting.isTemporary ? ServiceFailure(.configuration(failure), message: message) : nil
        )
    }

    package var description: String { message }

    /// Causes are not compared: they are of any type.
    package static func == (one: CredentialsFailure, other: CredentialsFailure) -> Bool {
        (one.kind, one.message) == (other.kind, other.message) && one.underlying == other.underlying
    }

    /// Whether a source that is set up could not be reached or read, or was busy, so that it may give credentials later.
    package var isTemporary: Bool { kind != .notConfigured && wasUnreachable }

    /// The same, also for a source that may not be set up here: then it cannot be reached, either.
    var wasUnreachable: Bool {
        switch underlying?.kind {
        case .throttled, .transient: true
        case .transport(let cause):
            [.nameNotResolved, .cannotConnect, .timedOut, .connectionLost].contains(cause.kind)
        case .credentials(let source): source.isTemporary
        case .configuration(let setting): setting.isTemporary
        default: false
        }
    }

    /// Whether a service refused to give credentials; otherwise a setting is missing or wrong.
    package var isRefusal: Bool {
        guard kind != .notConfigured, let underlying, !isTemporary else { return false }
        if case .credentials(let source) = underlying.kind { return source.isRefusal }
        return true
    }

    /// The calling task was cancelled while it waited for credentials.
    package static let stoppedWaiting = CredentialsFailure("Waiting for credentials was cancelled.", kind: .cancelled)

    /// Turns the failure of a setting into a failure of the source that needs it; the message begins with `origin`.
    static func translating<Value>(
        origin: String = "",
        _ work: @autoclosure () throws(ConfigurationFailure) -> Value
    ) throws(CredentialsFailure) -> Value {
        do {
            return try work()
        } catch {
            throw CredentialsFailure(origin + error.message, of: error)
        }
    }
}
