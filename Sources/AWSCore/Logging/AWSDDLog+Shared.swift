extension AWSDDLog {
    /// The same for ``sharedInstance``.
    public static func add(_ logger: (any AWSDDLogger)!) {
        sharedInstance.add(logger)
    }

    /// The same for ``sharedInstance``.
    public static func add(_ logger: (any AWSDDLogger)!, with level: AWSDDLogLevel) {
        sharedInstance.add(logger, with: level)
    }

    /// The same for ``sharedInstance``.
    public static func remove(_ logger: (any AWSDDLogger)!) {
        sharedInstance.remove(logger)
    }

    /// The same for ``sharedInstance``.
    public static func removeAllLoggers() {
        sharedInstance.removeAllLoggers()
    }

    /// The same for ``sharedInstance``.
    public static var allLoggers: [any AWSDDLogger] { sharedInstance.allLoggers }

    /// The same for ``sharedInstance``.
    public static func flushLog() {
        sharedInstance.flushLog()
    }

    /// The same for ``sharedInstance``.
    public static func log(asynchronous: Bool, message logMessage: AWSDDLogMessage) {
        sharedInstance.log(asynchronous: asynchronous, message: logMessage)
    }
}
