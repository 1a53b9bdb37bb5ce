import Foundation

/// Receives log messages. Conform a type of your own and pass it to ``AmplifyLogging/addSink(_:)``.
public protocol LogSinkBehavior: Identifiable, Sendable {
    /// Identifies the sink. Adding a second sink with the same id replaces the first one.
    var id: String { get }

    /// Whether this sink receives messages of this level. The text of a message that no sink receives is never evaluated.
    func isEnabled(for logLevel: LogLevel) -> Bool

    /// Receives a message of an enabled level. Called on the thread that logs, possibly on several at the same time; return
    /// quickly.
    func emit(message: LogMessage)
}

/// Writes each message to standard error, on one line: `amplify: warn: AmplifyKinesisClient: ...`.
///
/// systemd and containers collect standard error and add the time.
public final class AmplifyStandardErrorLogSink: LogSinkBehavior {
    /// The same for all sinks of this type, so that adding a second one replaces the first.
    public let id = "AmplifyStandardErrorLogSink"

    private let logLevel: LogLevel

    /// A sink for messages up to this level.
    public init(logLevel: LogLevel) {
        self.logLevel = logLevel
    }

    /// Whether messages of this level are written.
    public func isEnabled(for logLevel: LogLevel) -> Bool { logLevel != .none && logLevel <= self.logLevel }

    /// Writes one line.
    public func emit(message: LogMessage) {
        // Standard error may be closed, and then there is nowhere to report that.
        try? FileHandle.standardError.write(contentsOf: Data((Self.line(message) + "\n").utf8))
    }

    /// The message on one line, with line breaks replaced by spaces.
    package static func line(_ message: LogMessage) -> String {
        var text = "amplify: \(message.level): \(message.name): \(message.content)"
        if let error = message.error { text += " (\(error.localizedDescription))" }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// The name of the sink on Apple platforms, where it writes to the unified log.
public typealias AmplifyOSLogSink = AmplifyStandardErrorLogSink
