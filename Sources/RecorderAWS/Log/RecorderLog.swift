import Glibc
import RecorderConcurrency
import Synchronization

/// The package's own log, one line a message: stages, streams, counts and durations; never records, keys or tokens.
///
/// Without listeners, warnings go to standard error as `recorder: warning: ...`. All other levels are dropped: an error
/// is also thrown to the caller.
package enum RecorderLog {
    /// The levels, the most important first.
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        case error, warning, info, debug, verbose

        package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// Receives one complete line, without its line end. Called on the thread that logs.
    package typealias Sink = @Sendable (_ line: String) -> Void

    private struct Listener: Sendable {
        let wants: @Sendable (Level) -> Bool
        let take: @Sendable (Level, String) -> Void
    }

    private static let listeners = Locked<[String: Listener]>([:])
    private static let sink = Locked<Sink?>(nil)
    private static let said = Locked<Set<String>>([])
    private static let faults = Atomic(0)

    /// Logs a failure that the caller gets as an error, too.
    package static func error(_ message: @autoclosure () -> String) { emit(message, at: .error) }

    /// Logs a problem that no caller gets as an error, and how to fix it.
    package static func warning(_ message: @autoclosure () -> String) { emit(message, at: .warning) }

    /// Logs a fault of this program, after which it goes on, as a warning.
    package static func fault(_ message: @autoclosure () -> String) {
        faults.add(1, ordering: .relaxed)
        warning(message())
    }

    /// Whether a fault of this program was logged.
    package static var hasFault: Bool { faults.load(ordering: .relaxed) > 0 }

    /// Logs a warning, unless this process has logged the same one. For problems of the machine's settings, which are few.
    package static func warningOnce(_ message: String) {
        if said.withLock({ $0.insert(message).inserted }) { warning(message) }
    }

    /// Logs an event that matters to the person who runs the program.
    package static func info(_ message: @autoclosure () -> String) { emit(message, at: .info) }

    /// Logs how something happened.
    package static func debug(_ message: @autoclosure () -> String) { emit(message, at: .debug) }

    /// Logs a single step: at most once for each request or commit, never once for each record.
    package static func verbose(_ message: @autoclosure () -> String) { emit(message, at: .verbose) }

    /// Sends all messages to a listener from now on, instead of standard error, in place of the one that has its name. Both
    /// closures are called on the thread that logs, and must not block.
    package static func listen(
        as name: String,
        wants: @escaping @Sendable (Level) -> Bool,
        take: @escaping @Sendable (Level, String) -> Void
    ) {
        listeners.withLock { $0[name] = Listener(wants: wants, take: take) }
    }

    /// Replaces standard error by a sink, or goes back to it if nil. Returns the previous sink.
    @discardableResult
    package static func replaceSink(_ new: Sink?) -> Sink? {
        sink.withLock { sink in
            let old = sink
            sink = new
            return old
        }
    }

    private static func emit(_ message: () -> String, at level: Level) {
        let listeners = listeners.withLock { $0 }
        if !listeners.isEmpty {
            let interested = listeners.values.filter { $0.wants(level) }
            if interested.isEmpty { return }
            let line = oneLine(message())
            for listener in interested { listener.take(level, line) }
        } else if level == .warning {
            let line = "recorder: warning: \(oneLine(message()))"
            if let sink = sink.withLock({ $0 }) {
                sink(line)
            } else {
                // Standard error may be closed, and then there is nowhere to report that.
                let bytes = Array("\(line)\n".utf8)
                _ = write(STDERR_FILENO, bytes, bytes.count)
            }
        }
    }

    private static func oneLine(_ message: String) -> String { message.sanitized(limit: 2048) }
}
