import RecorderHTTP

public import typealias Foundation.TimeInterval

/// The limits of a client's requests.
public struct HTTPClientConfiguration: Sendable, Equatable {
    /// Seconds to establish a connection, including name lookup and TLS; nil, the default, for 10.
    public var connectTimeout: TimeInterval?

    /// Seconds after which a request fails in which no byte was sent, received, or acknowledged by the service; 60 by default.
    /// A stalled upload may end up to an eighth later.
    public var socketTimeout: TimeInterval

    /// Seconds from start to end after which a request fails; each retry starts anew. nil, the default, for ten
    /// minutes, or the time that the body takes at 4 KiB a second, whichever is longer.
    public var requestTimeout: TimeInterval?

    /// The minimum average number of bytes a second, in both directions together, over `socketTimeout`. It ends
    /// requests whose answers arrive too slowly; 1 by default, 0 for no limit.
    public var minimumBytesPerSecond: Int

    /// The maximum number of requests of the client at the same time, each on a connection of its own; others wait, and
    /// their time limits begin when they are sent. nil, the default, for no limit.
    public var maxConnections: Int?

    /// Creates a configuration. A number of seconds or connections that is not positive is replaced by the default.
    public init(
        connectTimeout: TimeInterval? = nil,
        socketTimeout: TimeInterval = 60,
        requestTimeout: TimeInterval? = nil,
        minimumBytesPerSecond: Int = 1,
        maxConnections: Int? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.socketTimeout = socketTimeout
        self.requestTimeout = requestTimeout
        self.minimumBytesPerSecond = minimumBytesPerSecond
        self.maxConnections = maxConnections
    }

    var timeouts: HTTPTimeouts {
        var timeouts = HTTPTimeouts(minimumBytesPerSecond: max(minimumBytesPerSecond, 0))
        if let connect = connectTimeout.flatMap(Duration.init(limitInSeconds:)) { timeouts.connect = connect }
        if let stall = Duration(limitInSeconds: socketTimeout) { timeouts.stall = stall }
        timeouts.total = requestTimeout.flatMap(Duration.init(limitInSeconds:))
        return timeouts
    }
}

/// The type's name in earlier versions.
public typealias HttpClientConfiguration = HTTPClientConfiguration
