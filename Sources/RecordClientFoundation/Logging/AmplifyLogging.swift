import RecorderConcurrency

/// Creates loggers and manages the sinks for their messages. Nothing is logged until a sink is added.
///
/// ```swift
/// AmplifyLogging.addSink(AmplifyStandardErrorLogSink(logLevel: .info))
/// ```
/// A sink takes effect immediately, also for existing loggers and clients. Safe to use from any thread.
public final class AmplifyLogging {
    private static let sinks = Locked<[(id: String, sink: any LogSinkBehavior)]>([])

    private init() {}

    /// Adds a sink. It replaces one with the same id.
    public static func addSink(_ sink: any LogSinkBehavior) {
        let id = sink.id
        sinks.replace { sinks in
            sinks.removeAll { $0.id == id }
            sinks.append((id, sink))
        }
    }

    /// Removes the sink with this id, if there is one.
    public static func removeSink(id: String) {
        sinks.replace { sinks in sinks.removeAll { $0.id == id } }
    }

    /// A logger with this name.
    public static func logger(for name: String) -> any Logger { SinkLogger(name: name) }

    /// A logger with the name of a type.
    public static func logger<T>(for type: T.Type) -> any Logger { SinkLogger(name: "\(type)") }

    fileprivate static func sinks(for level: LogLevel) -> [any LogSinkBehavior] {
        guard level != .none else { return [] }
        return sinks.withLock { $0 }.map(\.sink).filter { $0.isEnabled(for: level) }
    }
}

/// Passes each message to the current sinks.
private struct SinkLogger: Logger {
    let name: String

    func log(_ logLevel: LogLevel, _ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?) {
        let sinks = AmplifyLogging.sinks(for: logLevel)
        guard !sinks.isEmpty else { return }
        let message = LogMessage(level: logLevel, name: name, content: message(), error: error())
        for sink in sinks { sink.emit(message: message) }
    }

    func error(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?) {
        log(.error, message(), error())
    }

    func warn(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?) {
        log(.warn, message(), error())
    }

    func info(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?) {
        log(.info, message(), error())
    }

    func debug(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?) {
        log(.debug, message(), error())
    }

    func verbose(_ message: @autoclosure () -> String, _ error: @autoclosure () -> (any Error)?) {
        log(.verbose, message(), error())
    }
}
