import AmplifyFoundation
import Foundation
import RecorderConcurrency
import Testing

/// One test at a time, because sinks are global. So are messages of other suites' clients, which are ignored here.
@Suite(.serialized) struct LoggingTests {
    @Test func `a closed standard error does not end the program`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            close(STDERR_FILENO)
            AmplifyStandardErrorLogSink(logLevel: .info).emit(
                message: LogMessage(level: .info, name: "a", content: "b")
            )
            exit(7)
        }
    }

    @Test func `a sink that is replaced may remove another one as it ends`() {
        final class Ending: LogSinkBehavior {
            let id = "ending"
            func isEnabled(for logLevel: LogLevel) -> Bool { false }
            func emit(message: LogMessage) {}
            deinit { AmplifyLogging.removeSink(id: "another") }
        }
        AmplifyLogging.addSink(Ending())
        AmplifyLogging.addSink(Ending())
        AmplifyLogging.removeSink(id: "ending")
        AmplifyLogging.removeSink(id: "ending")
    }

    @Test func `a sink gets messages of existing loggers, up to its level, until it is removed`() {
        let logger = AmplifyLogging.logger(for: "before")
        let sink = RecordingSink(level: .info, to: "before")
        AmplifyLogging.addSink(sink)
        logger.error("e")
        logger.warn("w", TestError())
        logger.info("i")
        logger.debug("d")
        logger.verbose("v")
        logger.log(.info, "logged")
        AmplifyLogging.removeSink(id: sink.id)
        logger.error("removed")
        #expect(
            sink.received == ["error before e", "warn before w TestError()", "info before i", "info before logged"]
        )
    }

    @Test(
        .disabled(
            if: ProcessInfo.processInfo.environment["RECORDER_TEST_KEEP"] != nil,
            "Scripts/canary has a sink that wants every message"
        )
    )
    func `the text of a message that no sink receives is never evaluated`() {
        let logger = AmplifyLogging.logger(for: RecordingSink.self)
        logger.error(never())
        let sink = RecordingSink(level: .error, to: "RecordingSink")
        AmplifyLogging.addSink(sink)
        logger.verbose(never())
        logger.log(.none, never())
        logger.error("once")
        AmplifyLogging.removeSink(id: sink.id)
        #expect(sink.received == ["error RecordingSink once"])
    }

    @Test func `a second sink with the same id replaces the first`() {
        let (first, second) = (RecordingSink(level: .error, to: "x"), RecordingSink(level: .error, to: "x"))
        AmplifyLogging.addSink(first)
        AmplifyLogging.addSink(second)
        AmplifyLogging.logger(for: "x").error("e")
        AmplifyLogging.removeSink(id: second.id)
        #expect(first.received.isEmpty && second.received == ["error x e"])
    }

    @Test func `the sink for standard error writes one line for each message`() {
        let message = LogMessage(level: .warn, name: "Client", content: "one\ntwo", error: TestError())
        let line = AmplifyStandardErrorLogSink.line(message)
        #expect(line.hasPrefix("amplify: warn: Client: one two ("))
        #expect(!line.contains("\n"))
        let sink = AmplifyOSLogSink(logLevel: .info)
        #expect(sink.isEnabled(for: .error) && sink.isEnabled(for: .info) && !sink.isEnabled(for: .debug))
        #expect(!sink.isEnabled(for: .none))
    }

    @Test func `levels go from none to verbose`() {
        let levels: [LogLevel] = [.none, .error, .warn, .info, .debug, .verbose]
        #expect(levels.map(\.rawValue) == Array(0...5))
        #expect(levels == levels.sorted())
    }

    private func never() -> String {
        Issue.record("a text was evaluated without a sink")
        return ""
    }
}

private struct TestError: Error {}

private final class RecordingSink: LogSinkBehavior {
    let id = "recording"
    private let level: LogLevel
    private let name: String
    private let messages = Locked<[String]>([])

    /// Receives the messages of loggers with one name.
    init(level: LogLevel, to name: String) {
        self.level = level
        self.name = name
    }

    var received: [String] { messages.withLock { $0 } }

    func isEnabled(for logLevel: LogLevel) -> Bool { logLevel <= level }

    func emit(message: LogMessage) {
        guard message.name == name else { return }
        let error = message.error.map { " \($0)" } ?? ""
        messages.withLock { $0.append("\(message.level) \(message.name) \(message.content)\(error)") }
    }
}
