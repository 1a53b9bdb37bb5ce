public import Foundation

/// One log message, and where it comes from. Never changes; safe to use from any thread.
public final class AWSDDLogMessage: NSObject, NSCopying, @unchecked Sendable {
    // Safe because nothing changes, and the tag is whatever its maker hands to all loggers.

    /// The text.
    public let message: String
    /// The level that was in force.
    public let level: AWSDDLogLevel
    /// The kind of message.
    public let flag: AWSDDLogFlag
    /// A number of the maker's; 0 for messages of this package.
    public let context: Int
    /// The source file.
    public let file: String
    /// The function, where it is known.
    public let function: String?
    /// The line in the source file.
    public let line: UInt
    /// A thing of the maker's.
    public let tag: Any?
    /// When it was made.
    public let timestamp: Date
    /// The name of the thread that made it; empty if it has none.
    public let threadName: String

    /// A message.
    ///
    /// - Parameters:
    ///   - message: The text.
    ///   - level: The level that is in force.
    ///   - flag: The kind of message.
    ///   - context: A number of your own.
    ///   - file: The source file.
    ///   - function: The function, where it is known.
    ///   - line: The line in the source file.
    ///   - tag: A thing of your own; it must be fit for any thread.
    ///   - timestamp: When it was made; nil for now.
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

    /// The message itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
