#if SwiftLog
    import KinesisRecorders
    import Logging
    import RecorderAWS
    import RecorderConcurrency
    import Testing

    /// What the trait SwiftLog adds. The log is one for the process.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct LogTests {
        @Test func `each message goes to the logger, at the level that swift-log asks of libraries`() {
            let lines = Lines()
            AWSKinesisRecorder.log(to: lines.logger(at: .trace))
            say(in: "one")
            #expect(
                lines.containing("one") == [
                    "debug error in one, recorder.level=error", "warning warning in one, recorder.level=warning",
                    "debug info in one, recorder.level=info", "debug debug in one, recorder.level=debug",
                    "trace verbose in one, recorder.level=verbose",
                ]
            )
        }

        @Test func `a message below the logger's level is not made`() {
            let lines = Lines()
            AWSKinesisRecorder.log(to: lines.logger(at: .warning))
            var made = 0
            func text() -> String {
                made += 1
                return "two"
            }
            RecorderLog.debug(text())
            RecorderLog.warning(text())
            #expect(lines.containing("two") == ["warning two, recorder.level=warning"])
            #expect(made == 1)
        }

        @Test func `of two loggers, the second gets the messages`() {
            let first = Lines(), second = Lines()
            AWSKinesisRecorder.log(to: first.logger(at: .trace))
            AWSKinesisRecorder.log(to: second.logger(at: .trace))
            say(in: "three")
            #expect(first.containing("three").isEmpty)
            #expect(second.containing("three").count == 5)
        }

        @Test func `loggers of AWSDDLog and of swift-log both get the messages`() {
            let lines = Lines(), other = Locked<[String]>([])
            RecorderLog.listen(
                as: "AWSDDLog",
                wants: { _ in true },
                take: { _, text in other.withLock { $0.append(text) } }
            )
            AWSKinesisRecorder.log(to: lines.logger(at: .trace))
            say(in: "four")
            #expect(lines.containing("four").count == 5)
            #expect(other.withLock { $0 }.filter { $0.contains("four") }.count == 5)
        }

        private func say(in test: String) {
            RecorderLog.error("error in \(test)")
            RecorderLog.warning("warning in \(test)")
            RecorderLog.info("info in \(test)")
            RecorderLog.debug("debug in \(test)")
            RecorderLog.verbose("verbose in \(test)")
        }
    }

    /// What a logger was given.
    private final class Lines: Sendable {
        private let lines = Locked<[String]>([])

        func logger(at level: Logger.Level) -> Logger {
            var logger = Logger(label: "test") { _ in Handler(lines: self) }
            logger.logLevel = level
            return logger
        }

        func containing(_ text: String) -> [String] { lines.withLock { $0 }.filter { $0.contains(text) } }

        private struct Handler: LogHandler {
            let lines: Lines
            var logLevel = Logger.Level.trace
            var metadata: Logger.Metadata = [:]

            init(lines: Lines) { self.lines = lines }

            subscript(metadataKey key: String) -> Logger.MetadataValue? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(
                level: Logger.Level,
                message: Logger.Message,
                metadata: Logger.Metadata?,
                source: String,
                file: String,
                function: String,
                line: UInt
            ) {
                let data = (metadata ?? [:]).map { ", \($0.key)=\($0.value)" }.joined()
                lines.lines.withLock { $0.append("\(level) \(message)\(data)") }
            }
        }
    }
#endif
