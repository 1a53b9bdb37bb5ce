/// Logs an error, before it returns. The text is evaluated only if it is logged.
public func AWSDDLogError(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.error, message: message, file: "\(file)", function: "\(function)", line: line)
}

/// Logs a warning. The text is evaluated only if it is logged.
public func AWSDDLogWarn(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.warning, message: message, file: "\(file)", function: "\(function)", line: line)
}

/// Logs information. The text is evaluated only if it is logged.
public func AWSDDLogInfo(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.info, message: message, file: "\(file)", function: "\(function)", line: line)
}

/// Logs details for debugging. The text is evaluated only if it is logged.
public func AWSDDLogDebug(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.debug, message: message, file: "\(file)", function: "\(function)", line: line)
}

/// Logs every step. The text is evaluated only if it is logged.
public func AWSDDLogVerbose(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.verbose, message: message, file: "\(file)", function: "\(function)", line: line)
}

private func log(
    _ flag: AWSDDLogFlag,
    message: () -> String,
    file: @autoclosure () -> String,
    function: @autoclosure () -> String,
    line: UInt
) {
    let level = AWSDDLog.sharedInstance.logLevel
    guard level.includes(flag) else { return }
    let message = AWSDDLogMessage(
        message: message(),
        level: level,
        flag: flag,
        file: file(),
        function: function(),
        line: line
    )
    AWSDDLog.sharedInstance.log(asynchronous: flag != .error, message: message)
}
