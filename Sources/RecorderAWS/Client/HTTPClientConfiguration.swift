package import RecorderHTTP

public import typealias Foundation.TimeInterval

/// How long the requests of a client may wait.
public struct HTTPClientConfiguration: Sendable, Equatable {
    /// Seconds until the connection stands, name lookup and TLS included; nil, the default, means 10.
    public var connectTimeout: TimeInterval?

    /// Seconds without a byte in either direction after which a request fails; 60 by default.
    public var socketTimeout: TimeInterval

    /// Seconds from start to end after which a request fails, each retry anew; nil, the default, means ten minutes, or as
    /// long as the body takes at 4 KiB a second, if that is longer.
    public var requestTimeout: TimeInterval?

    /// How many bytes a second must move, up and down together, on average over `socketTimeout`, so that an answer which
    /// only trickles ends; 1 by default, 0 for no limit.
    public var minimumBytesPerSecond: Int

    /// A configuration; what is not a positive number of seconds counts as the default.
    public init(
        connectTimeout: TimeInterval? = nil,
        socketTimeout: TimeInterval = 60,
        requestTimeout: TimeInterval? = nil,
        minimumBytesPerSecond: Int = 1
    ) {
        self.connectTimeout = connectTimeout
        self.socketTimeout = socketTimeout
        self.requestTimeout = requestTimeout
        self.minimumBytesPerSecond = minimumBytesPerSecond
    }

    package var timeouts: HTTPTimeouts {
        var timeouts = HTTPTimeouts(minimumBytesPerSecond: max(minimumBytesPerSecond, 0))
        if let connect = connectTimeout.flatMap(Duration.init(limitInSeconds:)) { timeouts.connect = connect }
        if let stall = Duration(limitInSeconds: socketTimeout) { timeouts.stall = stall }
        timeouts.total = requestTimeout.flatMap(Duration.init(limitInSeconds:))
        return timeouts
    }
}

/// The same type by the spelling of earlier versions.
public typealias HttpClientConfiguration = HTTPClientConfiguration
