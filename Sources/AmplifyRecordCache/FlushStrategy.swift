public import typealias Foundation.TimeInterval

/// When a client flushes by itself.
public enum FlushStrategy: Sendable {
    /// So many seconds after it was made or enabled, and after the end of each such flush; 30 by default.
    case interval(TimeInterval = 30)

    /// Never: only `flush` and `drain` send.
    case none
}
