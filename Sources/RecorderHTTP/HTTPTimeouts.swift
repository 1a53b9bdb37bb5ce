/// How long one request may wait, and for what.
package struct HTTPTimeouts: Sendable, Equatable {
    /// Until the connection stands, name lookup and TLS included; 10 s by default.
    package var connect: Duration

    /// While no byte moves in either direction, or too few do; 60 s by default.
    package var stall: Duration

    /// How many bytes a second must move in either direction, on average over the stall time; 1 by default, 0 for no limit.
    ///
    /// An answer that trickles never stalls: without this, one byte a minute keeps a request, and with it a flush, going
    /// for ever.
    package var minimumBytesPerSecond: Int

    /// From start to end of one request; nil, the default, for ``standardTotal(uploading:)``.
    package var total: Duration?

    /// The defaults, or what is given instead; a time below a millisecond counts as one.
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

    /// The time for one request where none is given: ten minutes, or as long as the body takes at 4 KiB a second, if that
    /// is longer.
    ///
    /// Ten minutes are many times what a service needs, and still let a link of 10 kbit/s upload a recorder's usual batch
    /// of 512 KiB; the largest batch of 4 MiB, which is 5.6 MB on the wire, gets 23 minutes. A shorter time would fail the
    /// same batch again and again on a slow link, and so deliver nothing.
    package static func standardTotal(uploading bytes: Int) -> Duration {
        max(.seconds(600), .seconds(bytes / 4096))
    }
}
