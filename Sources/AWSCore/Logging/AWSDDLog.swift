public import Foundation
import RecorderAWS
import RecorderConcurrency

/// START HERE: hands log messages to loggers.
///
/// ```swift
/// AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
/// AWSDDLog.sharedInstance.logLevel = .debug
/// ```
/// Until the first logger is added, this package's warnings go to standard error, and nothing else goes anywhere. From
/// then on its messages go to the loggers, as far as ``logLevel`` and the logger's own level let them.
/// They name stages, streams, counts and durations; never records, keys or tokens.
///
/// Loggers are called on one background queue. At most 1,000 messages wait for it; more are dropped and counted. Safe to
/// use from any thread.
public final class AWSDDLog: NSObject, Sendable {
    private struct Entry: @unchecked Sendable {
        // Safe because loggers are used on the queue alone.
        let logger: any AWSDDLogger
        let level: AWSDDLogLevel
    }

    private struct State {
        var level = AWSDDLogLevel.warning
        var entries: [Entry] = []
        var waiting = 0
        var dropped = 0
    }

    private static let mostWaiting = 1_000
    private static let onQueue = DispatchSpecificKey<Bool>()

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "AWSDDLog")

    /// The one that this package's messages go to.
    public static let sharedInstance = AWSDDLog()

    /// A log of your own, without loggers.
    public override init() {
        queue.setSpecific(key: Self.onQueue, value: true)
    }

    /// How much is logged; `.warning` by default.
    public var logLevel: AWSDDLogLevel {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    // MARK: loggers

    /// Adds a logger for messages of this level; one that is there already keeps its place and gets the new level.
    ///
    /// It sees the messages that are logged from now on.
    public func add(_ logger: (any AWSDDLogger)!, with level: AWSDDLogLevel) {
        guard let logger else { return }
        let entry = Entry(logger: logger, level: level)
        queue.async { [self] in
            let isNew = state.withLock { state in
                if let place = state.entries.firstIndex(where: { $0.logger === entry.logger }) {
                    state.entries[place] = entry
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

    /// Removes a logger; it sees none of the messages that are logged from now on.
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

    private func removeAll(where isMeant: (any AWSDDLogger) -> Bool) {
        onQueue {
            let removed = state.withLock { state in
                defer { state.entries.removeAll { isMeant($0.logger) } }
                return state.entries.filter { isMeant($0.logger) }
            }
            for entry in removed { entry.logger.willRemove() }
        }
    }

    // MARK: messages

    /// Hands a message to the loggers, later or, if not `asynchronous`, before it returns. The log's level does not count.
    public func log(asynchronous: Bool, message logMessage: AWSDDLogMessage) {
        let isWelcome = state.withLock { state in
            if state.waiting < Self.mostWaiting {
                state.waiting += 1
                return true
            }
            state.dropped += 1
            return false
        }
        guard isWelcome else { return }
        if asynchronous {
            queue.async { [self] in deliver(logMessage) }
        } else {
            onQueue { deliver(logMessage) }
        }
    }

    /// Returns once all messages so far are logged and written out.
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
            hand(lost, to: entries)
        }
        hand(message, to: entries)
    }

    private func hand(_ message: AWSDDLogMessage, to entries: [Entry]) {
        for entry in entries where entry.level.includes(message.flag) { entry.logger.log(message: message) }
    }

    /// Runs work after everything that waits; at once if a logger asks for it.
    private func onQueue<Result>(_ work: () -> Result) -> Result {
        DispatchQueue.getSpecific(key: Self.onQueue) == true ? work() : queue.sync(execute: work)
    }

    // MARK: this package's own messages

    private static let hasListened = Locked(false)

    /// Takes this package's messages, from the first logger on, for good; what is left at the end is written out.
    private static func listen() {
        let isFirst = hasListened.withLock { hasListened in
            defer { hasListened = true }
            return !hasListened
        }
        guard isFirst else { return }
        RecorderLog.listen(
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
