/// One thing that was logged. Holds no key, token or record.
public struct LogMessage: Sendable {
    /// How much it matters.
    public let level: LogLevel

    /// Who logged it: the name that the logger was made with.
    public let name: String

    /// What happened.
    public let content: String

    /// The error it is about, if there is one.
    public let error: (any Error)?

    /// A message.
    public init(level: LogLevel, name: String, content: String, error: (any Error)? = nil) {
        self.level = level
        self.name = name
        self.content = content
        self.error = error
    }
}
