/// How much is logged; each level holds those before it.
public enum LogLevel: Int, Sendable, Comparable {
    /// Nothing.
    case none
    /// What failed for good.
    case error
    /// What failed and may pass, and records that were lost.
    case warn
    /// What changed, such as a client that was disabled.
    case info
    /// What every call came to.
    case debug
    /// What every call began.
    case verbose

    /// Whether a level holds less than another.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool { lhs.rawValue < rhs.rawValue }
}
