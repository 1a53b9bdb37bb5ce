import RecorderHTTP

extension HTTPTimeouts {
    /// The defaults, with what was typed.
    init(_ invocation: Invocation) throws(CommandFailure) {
        self.init()
        if let stall = try Self.time(.readTimeout, invocation) {
            self.stall = stall
            connect = min(connect, stall)
        }
        total = try Self.time(.requestTimeout, invocation)
    }

    private static func time(_ option: OptionSpec, _ invocation: Invocation) throws(CommandFailure) -> Duration? {
        guard let text = invocation.value(option) else { return nil }
        guard let time = Formatting.parseDuration(text), (.seconds(1) ... .seconds(7 * 86_400)).contains(time) else {
            throw CommandFailure(
                .usage,
                "--\(option.name) \(text): give a time from 1 second to 7 days: seconds, or as in 90s, 10m, 2h."
            )
        }
        return time
    }
}
