// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: loggers of their own.
import AWSCore

/// A logger that keeps lines in memory, with a formatter.
public class MemoryLogger: AWSDDAbstractLogger {
    private let lock = NSLock()
    private var kept: [String] = []

    public override func log(message logMessage: AWSDDLogMessage) {
        let text = logFormatter?.format(message: logMessage) ?? logMessage.message
        lock.lock()
        kept.append(text)
        lock.unlock()
    }

    public var lines: [String] {
        lock.lock()
        defer { lock.unlock() }
        return kept
    }

    public override var loggerName: String { return "com.example.memory" }
}

/// A logger that conforms to the protocol itself, and forwards to a closure.
public class ForwardingLogger: NSObject, AWSDDLogger {
    public var logFormatter: AWSDDLogFormatter!
    let handler: (AWSDDLogFlag, String) -> Void

    public init(handler: @escaping (AWSDDLogFlag, String) -> Void) {
        self.handler = handler
    }

    public func log(message logMessage: AWSDDLogMessage) {
        handler(logMessage.flag, logMessage.message)
    }
}

/// A formatter with the level, the file and the line, that leaves out what is verbose.
public class LevelFormatter: NSObject, AWSDDLogFormatter {
    public func format(message logMessage: AWSDDLogMessage) -> String? {
        let level: String
        switch logMessage.flag {
        case .error: level = "ERROR"
        case .warning: level = "WARN"
        case .info: level = "INFO"
        case .debug: level = "DEBUG"
        default: return nil
        }
        return "\(level) \(logMessage.fileName): \(logMessage.message)"
    }
}

/// The set-up that programs have in their application delegate.
public func startLogging(to logger: MemoryLogger) {
    AWSDDLog.sharedInstance.logLevel = .debug
    logger.logFormatter = LevelFormatter()
    AWSDDLog.add(logger)
}

/// The same with a level for one logger.
public func forwardErrors(handler: @escaping (AWSDDLogFlag, String) -> Void) -> AWSDDLogger {
    let logger = ForwardingLogger(handler: handler)
    AWSDDLog.add(logger, with: .error)
    return logger
}

/// A file logger with a directory of its own.
public func fileLogger(directory: String) -> AWSDDFileLogger {
    let manager = AWSDDLogFileManagerDefault(logsDirectory: directory)
    manager.maximumNumberOfLogFiles = 2
    let logger = AWSDDFileLogger(logFileManager: manager)
    logger.rollingFrequency = TimeInterval(60 * 60 * 24)
    AWSDDLog.add(logger)
    return logger
}
