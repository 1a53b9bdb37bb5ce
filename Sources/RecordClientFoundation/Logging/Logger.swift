/// Logs messages under one name. Safe to use from any thread.
///
/// Texts are evaluated only if a sink receives them.
public protocol Logger: Sendable {
    /// Logs a final failure.
    func error(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs a failure that may be temporary.
    func warn(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs a change of state.
    func info(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs the result of a call.
    func debug(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs the start of a call.
    func verbose(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs at a level.
    func log(_ logLevel: LogLevel, _ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)
}

extension Logger {
    /// Logs a final failure.
    public func error(_ message: @autoclosure () -> String) { error(message(), nil) }

    /// Logs a failure that may be temporary.
    public func warn(_ message: @autoclosure () -> String) { warn(message(), nil) }

    /// Logs a change of state.
    public func info(_ message: @autoclosure () -> String) { info(message(), nil) }

    /// Logs the result of a call.
    public func debug(_ message: @autoclosure () -> String) { debug(message(), nil) }

    /// Logs the start of a call.
    public func verbose(_ message: @autoclosure () -> String) { verbose(message(), nil) }

    /// Logs at a level.
    public func log(_ logLevel: LogLevel, _ message: @autoclosure () -> String) { log(logLevel, message(), nil) }
}
