/// Logs messages under one name. Safe to use from any thread.
///
/// Texts are put together only when a sink wants them.
public protocol Logger: Sendable {
    /// Logs what failed for good.
    func error(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs what failed and may pass.
    func warn(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs what changed.
    func info(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs what a call came to.
    func debug(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs what a call began.
    func verbose(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)

    /// Logs at a level.
    func log(_ logLevel: LogLevel, _ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?)
}

extension Logger {
    /// Logs what failed for good.
    public func error(_ message: @autoclosure () -> String) { error(message(), nil) }

    /// Logs what failed and may pass.
    public func warn(_ message: @autoclosure () -> String) { warn(message(), nil) }

    /// Logs what changed.
    public func info(_ message: @autoclosure () -> String) { info(message(), nil) }

    /// Logs what a call came to.
    public func debug(_ message: @autoclosure () -> String) { debug(message(), nil) }

    /// Logs what a call began.
    public func verbose(_ message: @autoclosure () -> String) { verbose(message(), nil) }

    /// Logs at a level.
    public func log(_ logLevel: LogLevel, _ message: @autoclosure () -> String) { log(logLevel, message(), nil) }
}
