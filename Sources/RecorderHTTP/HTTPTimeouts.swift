/// The time limits of one request.
package struct HTTPTimeouts: Sendable, Equatable {
    /// The time to connect, including name lookup and TLS handshake; 10 s by default.
    package var connect: Duration

    /// The time without progress: no byte, or too few, sent, received, or acknowledged by the other side; 60 s by default. A
    /// stalled upload may end up to an eighth later.
    package var stall: Duration

    /// The minimum average throughput in both directions together over the stall time; 1 by default, 0 for no limit.
    ///
    /// Without it a response of one byte a minute would never stall, and would keep a request and its flush running forever.
    package var minimumBytesPerSecond: Int

    /// The time for the whole request; nil, the default, for ``standardTotal(uploading:)``.
    package var total: Duration?

    /// Timeouts. A time below a millisecond counts as one millisecond.
    package init(
        connect: Duration = .seconds(10),
        stall: Duration = .seconds(60),
        minimumBytesPerSecond: Int = 1,
        total: Duration? = nil
    ) {
        self.connect = connect
        self.stall = stall
        self.minimumBytesPerSecond = minimumBytesPerSecond
        self.total = total
    }

    /// The default time for one request: ten minutes, or the time of the upload at 4 KiB/s if that is longer.
    ///
    /// Ten minutes are many times what a service needs, and enough to upload a recorder's usual batch of 512 KiB at 10 kbit/s.
    /// The largest batch of 4 MiB, which is 5.6 MB as base64, gets 23 minutes. With a shorter time the same batch would fail
    /// again and again on a slow link, and nothing would be delivered.
    package static func standardTotal(uploading bytes: Int) -> Duration {
        max(.seconds(600), .seconds(bytes / 4096))
    }
}

extension Duration {
    /// A time limit from a user's number of seconds, at most ten years; nil unless it is a positive, finite number.
    ///
    /// `Duration.seconds` traps for NaN and for numbers that are too large.
    package init?(limitInSeconds seconds: Double) {
        guard seconds > 0, seconds.isFinite else { return nil }
        self = .seconds(min(seconds, 10 * 365 * 24 * 3600))
    }

    /// A delay from a user's number of seconds, at most `longest`; zero if it is negative or NaN.
    package init(pauseInSeconds seconds: Double, longest: Duration) {
        let limit = longest / .seconds(1)
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, 0), limit))
    }
}
