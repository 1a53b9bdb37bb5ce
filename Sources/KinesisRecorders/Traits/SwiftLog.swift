#if SwiftLog
    public import Logging
    import RecorderAWS

    extension AWSAbstractKinesisRecorder {
        /// Passes the messages of all recorders of this process to a logger of swift-log, instead of standard error.
        ///
        /// Messages have stages, streams, counts and durations, never records, keys or tokens. The metadata `recorder.level` is the
        /// package's own level. swift-log asks libraries to keep to the lower levels:
        ///
        /// | `recorder.level` | what it is | is logged at |
        /// |---|---|---|
        /// | `warning` | a problem that no caller gets as an error: once for a cause, discards every ten seconds at most | `warning` |
        /// | `error`, `info`, `debug` | what a caller got as an error, too; what happened | `debug` |
        /// | `verbose` | each request and commit | `trace` |
        ///
        /// A second call replaces the first logger. Loggers of `AWSDDLog` get the same messages. The logger is called on the
        /// thread that logs, and must not block. Safe to use from any thread.
        public static func log(to logger: Logger) {
            RecorderLog.listen(
                as: "swift-log",
                wants: { logger.logLevel <= Logger.Level($0) },
                take: { level, text in
                    logger.log(
                        level: Logger.Level(level),
                        "\(text)",
                        metadata: ["recorder.level": "\(level)"],
                        source: "KinesisRecorders"
                    )
                }
            )
        }
    }

    extension Logger.Level {
        init(_ level: RecorderLog.Level) {
            switch level {
            case .warning: self = .warning
            case .error, .info, .debug: self = .debug
            case .verbose: self = .trace
            }
        }
    }
#endif
