import Foundation
import RecorderConcurrency

/// What this package says on its own, one line each: stages, streams, counts and durations; never records, keys or tokens.
///
/// Until somebody listens, warnings go to standard error as `recorder: warning: ...`, and the rest nowhere: an error also
/// reaches whoever called.
package enum RecorderLog {
    /// From what failed to every step.
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        case error, warning, info, debug, verbose

        package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// Takes one finished line, without its line end. Called on the thread that has something to say.
    package typealias Sink = @Sendable (_ line: String) -> Void

    private struct Listener: Sendable {
        let wants: @Sendable (Level) -> Bool
        let take: @Sendable (Level, String) -> Void
    }

    private static let listener = Locked<Listener?>(nil)
    private static let sink = Locked<Sink?>(nil)

    /// Says what failed; the caller is told, too.
    package static func error(_ message: @autoclosure () -> String) { say(.error, message) }

    /// Says what is wrong and how to mend it, where nobody else is told.
    package static func warning(_ message: @autoclosure () -> String) { say(.warning, message) }

    /// Says what is of interest to whoever runs the program.
    package static func info(_ message: @autoclosure () -> String) { say(.info, message) }

    /// Says how something happened.
    package static func debug(_ message: @autoclosure () -> String) { say(.debug, message) }

    /// Says every step; once a request or a commit at most, never once a record.
    package static func verbose(_ message: @autoclosure () -> String) { say(.verbose, message) }

    /// Whether anybody reads what is said on this level, for lines that cost something to prepare.
    package static func isHeard(_ level: Level) -> Bool {
        listener.withLock { $0 }.map { $0.wants(level) } ?? (level == .warning)
    }

    /// Hands everything to a listener from now on, in place of standard error. Both closures are called on the thread that
    /// has something to say, and must not block.
    package static func listen(
        wants: @escaping @Sendable (Level) -> Bool,
        take: @escaping @Sendable (Level, String) -> Void
    ) {
        listener.withLock { $0 = Listener(wants: wants, take: take) }
    }

    /// Sends the lines for standard error elsewhere, or back there if nil; gives the sink that was there before.
    @discardableResult
    package static func replaceSink(_ new: Sink?) -> Sink? {
        sink.withLock { sink in
            let old = sink
            sink = new
            return old
        }
    }

    private static func say(_ level: Level, _ message: () -> String) {
        if let listener = listener.withLock({ $0 }) {
            if listener.wants(level) { listener.take(level, oneLine(message())) }
        } else if level == .warning {
            let line = "recorder: warning: \(oneLine(message()))"
            if let sink = sink.withLock({ $0 }) {
                sink(line)
            } else {
                // Standard error may be closed: there is nowhere left to say so.
                try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
            }
        }
    }

    private static func oneLine(_ message: String) -> String { Legible.text(message, limit: 2048) }
}
