public import Foundation

/// A log message and its origin. Immutable; safe to use from any thread.
public final class AWSDDLogMessage: NSObject, NSCopying, @unchecked Sendable {
    // Safe because it is immutable, and the tag must be usable on any thread.

    /// The text.
    public let message: String
    /// The log's level at the time.
    public let level: AWSDDLogLevel
    /// The kind of message.
    public let flag: AWSDDLogFlag
    /// A custom number; 0 for messages of this package.
    public let context: Int
    /// The source file.
    public let file: String
    /// The function, if it is known.
    public let function: String?
    /// The line in the source file.
    public let line: UInt
    /// A custom value.
    public let tag: Any?
    /// When the message was created.
    public let timestamp: Date
    /// The name of the thread that created it; empty if it has none.
    public let threadName: String

    /// A message.
    ///
    /// - Parameters:
    ///   - message: The text.
    ///   - level: The log's current level.
    ///   - flag: The kind of message.
    ///   - context: A custom number.
    ///   - file: The source file.
    ///   - function: The function, if it is known.
    ///   - line: The line in the source file.
    ///   - tag: A custom value. It must be safe to use on any thread.
    ///   - timestamp: When the message was created; nil for now.
    public init(
        message: String,
        level: AWSDDLogLevel,
        flag: AWSDDLogFlag,
        context: Int = 0,
        file: String,
        function: String? = nil,
        line: UInt,
        tag: Any? = nil,
        timestamp: Date? = nil
    ) {
        self.message = message
        self.level = level
        self.flag = flag
        self.context = context
        self.file = file
        self.function = function
        self.line = line
        self.tag = tag
        self.timestamp = timestamp ?? Date()
        threadName = Thread.current.name ?? ""
    }

    /// The source file's name, without its directories and its extension.
    public var fileName: String {
        URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
    }

    /// The message itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
