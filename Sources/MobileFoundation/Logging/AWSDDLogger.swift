public import Foundation
import RecorderConcurrency

/// Receives log messages. Conform a class that derives from `NSObject`, or derive from ``AWSDDAbstractLogger``.
///
/// All methods are called on one background queue, one at a time.
public protocol AWSDDLogger: NSObjectProtocol {
    /// Logs a message.
    func log(message logMessage: AWSDDLogMessage)

    /// Formats messages; nil for the logger's own format.
    var logFormatter: (any AWSDDLogFormatter)! { get set }

    /// Called before the first message.
    func didAdd()

    /// Called after the last message.
    func willRemove()

    /// Writes out buffered messages.
    func flush()

    /// The logger's display name.
    var loggerName: String { get }
}

extension AWSDDLogger {
    /// Does nothing.
    public func didAdd() {}

    /// Does nothing.
    public func willRemove() {}

    /// Does nothing.
    public func flush() {}

    /// The name of the class.
    public var loggerName: String { "\(type(of: self))" }
}

/// Formats messages, and may filter them. Conform a class that derives from `NSObject`.
public protocol AWSDDLogFormatter: NSObjectProtocol {
    /// The text of a message; nil to omit it.
    func format(message logMessage: AWSDDLogMessage) -> String?
}

/// A base class for loggers that stores the formatter. Override ``log(message:)``.
///
/// It is not `Sendable`, so that a subclass gets no warning in Swift 5 mode. A subclass that is passed between tasks can be
/// declared `@unchecked Sendable`.
@preconcurrency
open class AWSDDAbstractLogger: NSObject, AWSDDLogger {
    private struct Formatter: @unchecked Sendable {
        var given: (any AWSDDLogFormatter)?
    }

    private let formatter = Locked(Formatter())

    /// A logger without a formatter.
    public override init() {}

    /// Logs a message. Does nothing unless it is overridden.
    open func log(message logMessage: AWSDDLogMessage) {}

    /// Called before the first message.
    open func didAdd() {}

    /// Called after the last message.
    open func willRemove() {}

    /// Writes out buffered messages.
    open func flush() {}

    /// The logger's display name.
    open var loggerName: String { "\(type(of: self))" }

    /// Formats messages; nil for the logger's own format.
    open var logFormatter: (any AWSDDLogFormatter)! {
        get { formatter.withLock { $0 }.given }
        set {
            let new = Formatter(given: newValue)
            formatter.withLock { $0 = new }
        }
    }

    /// The text of a message: the formatter's, otherwise time, level and text; nil to omit it.
    final func text(of message: AWSDDLogMessage) -> String? {
        if let logFormatter { return logFormatter.format(message: message) }
        return "\(LogTime.text(message.timestamp)) \(message.flag.name) \(message.message)"
    }
}

extension AWSDDLogFlag {
    fileprivate var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "info"
        case .debug: "debug"
        case .verbose: "verbose"
        default: "log"
        }
    }
}

/// The time of a log line: UTC, to the millisecond.
enum LogTime {
    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String { date.formatted(format) }
}
