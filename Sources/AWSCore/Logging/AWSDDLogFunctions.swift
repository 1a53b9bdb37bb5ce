/// Logs what failed, before it returns. The text is made only if it is wanted.
public func AWSDDLogError(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.error, message, "\(file)", "\(function)", line)
}

/// Logs what needs attention. The text is made only if it is wanted.
public func AWSDDLogWarn(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.warning, message, "\(file)", "\(function)", line)
}

/// Logs what is of interest. The text is made only if it is wanted.
public func AWSDDLogInfo(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.info, message, "\(file)", "\(function)", line)
}

/// Logs how something happened. The text is made only if it is wanted.
public func AWSDDLogDebug(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.debug, message, "\(file)", "\(function)", line)
}

/// Logs every step. The text is made only if it is wanted.
public func AWSDDLogVerbose(
    _ message: @autoclosure () -> String,
    file: StaticString = #file,
    function: StaticString = #function,
    line: UInt = #line
) {
    log(.verbose, message, "\(file)", "\(function)", line)
}

private func log(
    _ flag: AWSDDLogFlag,
    _ message: () -> String,
    _ file: @autoclosure () -> String,
    _ function: @autoclosure () -> String,
    _ line: UInt
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
