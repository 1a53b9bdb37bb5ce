/// How much is logged. Each level includes the ones before it.
public enum LogLevel: Int, Sendable, Comparable {
    /// Nothing.
    case none
    /// Failures that are final.
    case error
    /// Failures that may be temporary, and records that were dropped.
    case warn
    /// Changes of state, such as a client that was disabled.
    case info
    /// The result of every call.
    case debug
    /// The start of every call.
    case verbose

    /// Whether a level includes less than another one.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A log message. Contains no key, token or record.
public struct LogMessage: Sendable {
    /// The message's level.
    public let level: LogLevel

    /// The name of the logger.
    public let name: String

    /// The message's text.
    public let content: String

    /// The error that the message is about, if any.
    public let error: (any Error)?

    /// A message.
    public init(level: LogLevel, name: String, content: String, error: (any Error)? = nil) {
        self.level = level
        self.name = name
        self.content = content
        self.error = error
    }
}
