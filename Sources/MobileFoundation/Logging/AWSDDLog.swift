public import Foundation
import RecorderAWS
import RecorderConcurrency

/// START HERE: passes log messages to loggers.
///
/// ```swift
/// AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
/// AWSDDLog.sharedInstance.logLevel = .debug
/// ```
/// Until the first logger is added, this package's warnings go to standard error and its other messages are discarded.
/// After that, messages go to the loggers if ``logLevel`` and the logger's own level include them. They contain stages,
/// streams, counts and durations; never records, keys or tokens.
///
/// Loggers are called on one background queue. At most 1,000 messages wait for it; further ones are dropped and counted.
/// Safe to use from any thread.
public final class AWSDDLog: NSObject, Sendable {
    private struct Entry: @unchecked Sendable {
        // Safe because loggers are used on the queue only.
        let logger: any AWSDDLogger
        let level: AWSDDLogLevel
    }

    private struct State {
        var level = AWSDDLogLevel.warning
        var entries: [Entry] = []
        var waiting = 0
        var dropped = 0
    }

    private static let maximumWaiting = 1_000
    private static let onQueue = DispatchSpecificKey<Bool>()

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "AWSDDLog")

    /// The log that this package's messages go to.
    public static let sharedInstance = AWSDDLog()

    /// A separate log, without loggers.
    public override init() {
        queue.setSpecific(key: Self.onQueue, value: true)
    }

    /// The level up to which messages are logged; `.warning` by default.
    public var logLevel: AWSDDLogLevel {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    // MARK: loggers

    /// Adds a logger for messages up to this level. A logger that was added before keeps its position and gets the new
    /// level.
    ///
    /// It receives the messages that are logged from now on.
    public func add(_ logger: (any AWSDDLogger)!, with level: AWSDDLogLevel) {
        guard let logger else { return }
        let entry = Entry(logger: logger, level: level)
        queue.async { [self] in
            let isNew = state.withLock { state in
                if let index = state.entries.firstIndex(where: { $0.logger === entry.logger }) {
                    state.entries[index] = entry
                    return false
                }
                state.entries.append(entry)
                return true
            }
            if isNew { entry.logger.didAdd() }
        }
        if self === Self.sharedInstance { Self.listen() }
    }

    /// Adds a logger for messages of all levels.
    public func add(_ logger: (any AWSDDLogger)!) {
        add(logger, with: .all)
    }

    /// Removes a logger. It receives no message that is logged from now on.
    public func remove(_ logger: (any AWSDDLogger)!) {
        guard let logger else { return }
        removeAll { $0 === logger }
    }

    /// Removes all loggers.
    public func removeAllLoggers() {
        removeAll { _ in true }
    }

    /// The loggers, in the order in which they were added.
    public var allLoggers: [any AWSDDLogger] {
        onQueue { state.withLock { $0.entries } }.map(\.logger)
    }

    private func removeAll(where matches: (any AWSDDLogger) -> Bool) {
        onQueue {
            let removed = state.withLock { state in
                defer { state.entries.removeAll { matches($0.logger) } }
                return state.entries.filter { matches($0.logger) }
            }
            for entry in removed { entry.logger.willRemove() }
        }
    }

    // MARK: messages

    /// Passes a message to the loggers: later, or before it returns if not `asynchronous`. The log's own level is not
    /// checked.
    public func log(asynchronous: Bool, message logMessage: AWSDDLogMessage) {
        let isAccepted = state.withLock { state in
            if state.waiting < Self.maximumWaiting {
                state.waiting += 1
                return true
            }
            state.dropped += 1
            return false
        }
        guard isAccepted else { return }
        if asynchronous {
            queue.async { [self] in deliver(logMessage) }
        } else {
            onQueue { deliver(logMessage) }
        }
    }

    /// Returns once all messages so far are logged and flushed.
    public func flushLog() {
        onQueue {
            for entry in state.withLock({ $0.entries }) { entry.logger.flush() }
        }
    }

    private func deliver(_ message: AWSDDLogMessage) {
        let (entries, dropped) = state.withLock { state in
            state.waiting -= 1
            defer { state.dropped = 0 }
            return (state.entries, state.dropped)
        }
        if dropped > 0 {
            let text = "\(dropped) log messages were dropped: the loggers are too slow for them."
            let lost = AWSDDLogMessage(message: text, level: .warning, flag: .warning, file: #fileID, line: #line)
            log(lost, to: entries)
        }
        log(message, to: entries)
    }

    private func log(_ message: AWSDDLogMessage, to entries: [Entry]) {
        for entry in entries where entry.level.includes(message.flag) { entry.logger.log(message: message) }
    }

    /// Runs work after everything that is queued, or at once if called by a logger.
    private func onQueue<Result>(_ work: () -> Result) -> Result {
        DispatchQueue.getSpecific(key: Self.onQueue) == true ? work() : queue.sync(execute: work)
    }

    // MARK: this package's own messages

    private static let isListening = Locked(false)

    /// Receives this package's messages from the first added logger on, permanently. Flushes at exit.
    private static func listen() {
        let isFirst = isListening.withLock { isListening in
            defer { isListening = true }
            return !isListening
        }
        guard isFirst else { return }
        RecorderLog.listen(
            as: "AWSDDLog",
            wants: { sharedInstance.logLevel.includes(AWSDDLogFlag($0)) },
            take: { level, text in
                let message = AWSDDLogMessage(
                    message: text,
                    level: sharedInstance.logLevel,
                    flag: AWSDDLogFlag(level),
                    file: "recorder",
                    line: 0
                )
                sharedInstance.log(asynchronous: true, message: message)
            }
        )
        atexit { AWSDDLog.sharedInstance.flushLog() }
    }
}

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

extension AWSDDLogFlag {
    init(_ level: RecorderLog.Level) {
        switch level {
        case .error: self = .error
        case .warning: self = .warning
        case .info: self = .info
        case .debug: self = .debug
        case .verbose: self = .verbose
        }
    }
}
