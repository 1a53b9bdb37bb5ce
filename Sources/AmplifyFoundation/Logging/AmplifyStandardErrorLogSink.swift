import Foundation

/// Writes messages to standard error, a line each: `amplify: warn: AmplifyKinesisClient: ...`.
///
/// systemd and containers collect standard error and add the time.
public final class AmplifyStandardErrorLogSink: LogSinkBehavior {
    /// The same for all of its kind: a second one takes the place of the first.
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
        // Standard error may be closed: there is nowhere left to say so.
        try? FileHandle.standardError.write(contentsOf: Data((Self.line(message) + "\n").utf8))
    }

    /// Line ends become blanks, so that a message stays one line.
    package static func line(_ message: LogMessage) -> String {
        var text = "amplify: \(message.level): \(message.name): \(message.content)"
        if let error = message.error { text += " (\(error.localizedDescription))" }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// The name of the sink on Apple's systems, where it writes to the unified log.
public typealias AmplifyOSLogSink = AmplifyStandardErrorLogSink
