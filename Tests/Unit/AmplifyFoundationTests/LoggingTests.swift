import AmplifyFoundation
import Foundation
import RecorderConcurrency
import Testing

/// One test at a time: sinks belong to the whole process. So do the messages of other suites' clients, which no test hears.
@Suite(.serialized) struct LoggingTests {
    @Test func `a closed standard error is no reason to end the program`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            close(STDERR_FILENO)
            AmplifyStandardErrorLogSink(logLevel: .info).emit(
                message: LogMessage(level: .info, name: "a", content: "b")
            )
            exit(7)
        }
    }

    @Test func `a sink hears what loggers made before it say, up to its level, until it is removed`() {
        let logger = AmplifyLogging.logger(for: "before")
        let sink = Ears(level: .info, to: "before")
        AmplifyLogging.addSink(sink)
        logger.error("e")
        logger.warn("w", Oops())
        logger.info("i")
        logger.debug("d")
        logger.verbose("v")
        logger.log(.info, "logged")
        AmplifyLogging.removeSink(id: sink.id)
        logger.error("nobody")
        #expect(sink.heard == ["error before e", "warn before w Oops()", "info before i", "info before logged"])
    }

    @Test(
        .disabled(
            if: ProcessInfo.processInfo.environment["RECORDER_TEST_KEEP"] != nil,
            "Scripts/canary has a sink that wants every message"
        )
    )
    func `a message that no sink wants is never put together`() {
        let logger = AmplifyLogging.logger(for: Ears.self)
        logger.error(never())
        let sink = Ears(level: .error, to: "Ears")
        AmplifyLogging.addSink(sink)
        logger.verbose(never())
        logger.log(.none, never())
        logger.error("once")
        AmplifyLogging.removeSink(id: sink.id)
        #expect(sink.heard == ["error Ears once"])
    }

    @Test func `a second sink with the same id takes the place of the first`() {
        let (first, second) = (Ears(level: .error, to: "x"), Ears(level: .error, to: "x"))
        AmplifyLogging.addSink(first)
        AmplifyLogging.addSink(second)
        AmplifyLogging.logger(for: "x").error("e")
        AmplifyLogging.removeSink(id: second.id)
        #expect(first.heard.isEmpty && second.heard == ["error x e"])
    }

    @Test func `the sink of standard error writes one line a message`() {
        let message = LogMessage(level: .warn, name: "Client", content: "one\ntwo", error: Oops())
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
        Issue.record("a text was put together for nobody")
        return ""
    }
}

private struct Oops: Error {}

private final class Ears: LogSinkBehavior {
    let id = "ears"
    private let level: LogLevel
    private let name: String
    private let messages = Locked<[String]>([])

    /// Hears the loggers of one name.
    init(level: LogLevel, to name: String) {
        self.level = level
        self.name = name
    }

    var heard: [String] { messages.withLock { $0 } }

    func isEnabled(for logLevel: LogLevel) -> Bool { logLevel <= level }

    func emit(message: LogMessage) {
        guard message.name == name else { return }
        let error = message.error.map { " \($0)" } ?? ""
        messages.withLock { $0.append("\(message.level) \(message.name) \(message.content)\(error)") }
    }
}
