import AWSCore
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct AWSDDLogTests {
    private let log = AWSDDLog()
    private let lines = Lines()

    @Test func `a level has the bits of all flags up to its own`() {
        let numbers = AWSDDLogLevel.allCases.map(\.rawValue)
        #expect(numbers == [0, 1, 3, 7, 15, 31, .max])
        let flags: [AWSDDLogFlag] = [.error, .warning, .info, .debug, .verbose]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
        #expect(AWSDDLog().logLevel == .warning)
    }

    @Test func `each logger receives the messages of its own level, in order`() {
        let errors = Lines()
        log.add(lines)
        log.add(errors, with: .error)
        for (flag, text) in [(AWSDDLogFlag.error, "a"), (.info, "b"), (.error, "c"), (.verbose, "d")] {
            log.log(asynchronous: true, message: message(text, flag))
        }
        log.flushLog()
        #expect(lines.all == ["a", "b", "c", "d"])
        #expect(errors.all == ["a", "c"])
        #expect(lines.flushes == 1)
    }

    @Test func `a message that is not asynchronous is logged before the call returns`() {
        log.add(lines)
        log.log(asynchronous: false, message: message("now", .error))
        #expect(lines.all == ["now"])
    }

    @Test func `a removed logger receives nothing more, and willRemove is called`() {
        log.add(lines)
        log.add(lines)
        #expect(log.allLoggers.count == 1)
        log.remove(lines)
        log.log(asynchronous: false, message: message("late", .error))
        #expect(lines.all.isEmpty)
        #expect(lines.added == 1 && lines.removed == 1)
        log.add(lines)
        log.removeAllLoggers()
        #expect(log.allLoggers.isEmpty)
        #expect(lines.removed == 2)
    }

    @Test func `a logger may log and flush itself`() {
        log.add(Echo(log))
        log.add(lines)
        log.log(asynchronous: false, message: message("first", .error))
        log.flushLog()
        #expect(lines.all.contains("echo of first"))
    }

    @Test func `a formatter formats the line, or omits it`() {
        let logger = Lines()
        logger.logFormatter = OnlyErrors()
        log.add(logger)
        log.log(asynchronous: false, message: message("lost", .info))
        log.log(asynchronous: false, message: message("kept", .error))
        #expect(logger.formatted == ["File:7 kept"])
    }

    @Test func `loggers that are too slow cost messages, which are counted, but no memory`() {
        let gate = Gate()
        log.add(Slow(gate))
        log.add(lines)
        for number in 0..<2_000 { log.log(asynchronous: true, message: message("\(number)", .info)) }
        gate.open()
        log.flushLog()
        log.log(asynchronous: false, message: message("last", .info))
        #expect(lines.all.count < 1_005)
        #expect(lines.all.contains { $0.contains("messages were dropped") })
        #expect(lines.all.last == "last")
    }

    private func message(_ text: String, _ flag: AWSDDLogFlag) -> AWSDDLogMessage {
        AWSDDLogMessage(message: text, level: .all, flag: flag, file: "/src/File.swift", line: 7)
    }
}

/// A logger that keeps its messages.
final class Lines: AWSDDAbstractLogger, @unchecked Sendable {
    private struct Seen {
        var lines: [String] = []
        var formatted: [String] = []
        var flushes = 0
        var added = 0
        var removed = 0
    }

    private let seen = Locked(Seen())

    var all: [String] { seen.withLock { $0.lines } }
    var formatted: [String] { seen.withLock { $0.formatted } }
    var flushes: Int { seen.withLock { $0.flushes } }
    var added: Int { seen.withLock { $0.added } }
    var removed: Int { seen.withLock { $0.removed } }

    override func log(message logMessage: AWSDDLogMessage) {
        let formatted = logFormatter?.format(message: logMessage)
        seen.withLock { seen in
            seen.lines.append(logMessage.message)
            if let formatted { seen.formatted.append(formatted) }
        }
    }

    override func flush() { seen.withLock { $0.flushes += 1 } }
    override func didAdd() { seen.withLock { $0.added += 1 } }
    override func willRemove() { seen.withLock { $0.removed += 1 } }
}

private final class OnlyErrors: NSObject, AWSDDLogFormatter {
    func format(message logMessage: AWSDDLogMessage) -> String? {
        guard logMessage.flag == .error else { return nil }
        return "\(logMessage.fileName):\(logMessage.line) \(logMessage.message)"
    }
}

private final class Echo: AWSDDAbstractLogger, @unchecked Sendable {
    private let log: AWSDDLog

    init(_ log: AWSDDLog) {
        self.log = log
    }

    override func log(message logMessage: AWSDDLogMessage) {
        guard !logMessage.message.hasPrefix("echo") else { return }
        let text = "echo of \(logMessage.message)"
        let echo = AWSDDLogMessage(message: text, level: .all, flag: .info, file: "", line: 0)
        log.log(asynchronous: true, message: echo)
        log.flushLog()
    }
}

private final class Slow: AWSDDAbstractLogger, @unchecked Sendable {
    private let gate: Gate

    init(_ gate: Gate) {
        self.gate = gate
    }

    override func log(message logMessage: AWSDDLogMessage) {
        gate.wait()
    }
}
