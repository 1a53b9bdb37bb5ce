public import Foundation

/// The level up to which an ``AWSLogger`` logs messages.
public enum AWSLogLevel: Int, Sendable {
    /// No level; the same as `none`.
    case unknown = -1
    /// Nothing.
    case none = 0
    /// Errors.
    case error = 1
    /// Errors and warnings.
    case warn = 2
    /// The above, and information.
    case info = 3
    /// The above, and details for debugging.
    case debug = 4
    /// The above, and every step.
    case verbose = 5

    /// The Swift 2 spelling of `none`.
    @available(*, deprecated, renamed: "none")
    public static let None = AWSLogLevel.none
    /// The Swift 2 spelling of `error`.
    @available(*, deprecated, renamed: "error")
    public static let Error = AWSLogLevel.error
    /// The Swift 2 spelling of `warn`.
    @available(*, deprecated, renamed: "warn")
    public static let Warn = AWSLogLevel.warn
    /// The Swift 2 spelling of `info`.
    @available(*, deprecated, renamed: "info")
    public static let Info = AWSLogLevel.info
    /// The Swift 2 spelling of `debug`.
    @available(*, deprecated, renamed: "debug")
    public static let Debug = AWSLogLevel.debug
    /// The Swift 2 spelling of `verbose`.
    @available(*, deprecated, renamed: "verbose")
    public static let Verbose = AWSLogLevel.verbose

    fileprivate var level: AWSDDLogLevel {
        switch self {
        case .unknown, .none: .off
        case .error: .error
        case .warn: .warning
        case .info: .info
        case .debug: .debug
        case .verbose: .verbose
        }
    }

    fileprivate init(_ level: AWSDDLogLevel) {
        switch level {
        case .off: self = .none
        case .error: self = .error
        case .warning: self = .warn
        case .info: self = .info
        case .debug: self = .debug
        case .verbose, .all: self = .verbose
        }
    }
}

/// The log of SDK 2.5.3 and earlier: a level, and standard error.
///
/// Setting its level sets that of ``AWSDDLog/sharedInstance`` and adds ``AWSDDTTYLogger``, because this log worked without
/// adding a logger. Safe to use from any thread.
@available(
    *,
    deprecated,
    message: "Use AWSDDLog.add(AWSDDTTYLogger.sharedInstance) and AWSDDLog.sharedInstance.logLevel."
)
public final class AWSLogger: NSObject, Sendable {
    private static let shared = AWSLogger()

    private override init() {}

    /// The shared instance.
    public static func `default`() -> AWSLogger! { shared }

    /// The Swift 2 spelling of ``default()``.
    public static func defaultLogger() -> AWSLogger! { shared }

    /// The level up to which messages are logged.
    public var logLevel: AWSLogLevel {
        get { AWSLogLevel(AWSDDLog.sharedInstance.logLevel) }
        set {
            AWSDDLog.sharedInstance.logLevel = newValue.level
            AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
        }
    }
}
