extension OptionSpec {
    static let logFormat = OptionSpec(
        "log-format",
        value: "FORMAT",
        completion: .words(LogStyle.Format.allCases.map(\.rawValue)),
        help: "how lines on standard error look: text, or json for one JSON object each [text]"
    )
    static let verbose = OptionSpec(
        "verbose",
        letter: "v",
        help: "print each request and each retry, too: counts, sizes and durations, nothing of a record"
    )
    static let log = [quiet, verbose, logFormat]
    static let output = [summary] + log
}

extension Invocation {
    /// Whether only a signal ends the command.
    var runsUntilStopped: Bool { command.runsUntilStopped || has(.watch) }

    /// Whether the command runs until it is stopped, or as long as its input.
    private var isLongRun: Bool { runsUntilStopped || has(.submit) }

    /// The style of the log that was asked for. Throws for wrong options.
    func logStyle(environment: [String: String]) throws(CommandFailure) -> LogStyle {
        let name = value(.logFormat) ?? LogStyle.Format.text.rawValue
        guard let format = LogStyle.Format(rawValue: name) else {
            throw CommandFailure(.usage, message: "--log-format \(name): give text or json.")
        }
        try checkExclusion(of: [.quiet, .verbose])
        return LogStyle(format, isLongRun: isLongRun, environment: environment)
    }
}
