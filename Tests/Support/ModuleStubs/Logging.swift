// swift-format-ignore-file
// What the documents use of swift-log, so that `make snippets` compiles it without that package.

public struct Logger: Sendable {
    public enum Level: Sendable { case trace, debug, info, notice, warning, error, critical }

    public struct Message: ExpressibleByStringInterpolation, Sendable {
        public init(stringLiteral value: String) {}
    }

    public init(label: String) {}

    public func log(level: Level, _ message: @autoclosure () -> Message) {}
    public func warning(_ message: @autoclosure () -> Message) {}
}
