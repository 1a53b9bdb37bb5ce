package import RecorderHTTP

public import typealias Foundation.TimeInterval

/// How long the requests of a client may wait.
public struct HTTPClientConfiguration: Sendable, Equatable {
    /// Seconds until the connection stands, name lookup and TLS included; nil, the default, means 10.
    public var connectTimeout: TimeInterval?

    /// Seconds without a byte in either direction after which a request fails; 60 by default.
    public var socketTimeout: TimeInterval

    /// A configuration; what is not a positive number of seconds counts as the default.
    public init(connectTimeout: TimeInterval? = nil, socketTimeout: TimeInterval = 60) {
        self.connectTimeout = connectTimeout
        self.socketTimeout = socketTimeout
    }

    package var timeouts: HTTPTimeouts {
        var timeouts = HTTPTimeouts()
        if let connect = connectTimeout.flatMap(Self.duration) { timeouts.connect = connect }
        if let stall = Self.duration(socketTimeout) { timeouts.stall = stall }
        return timeouts
    }

    private static func duration(_ seconds: TimeInterval) -> Duration? {
        seconds > 0 && seconds.isFinite ? .seconds(min(seconds, 10 * 365 * 24 * 3600)) : nil
    }
}

/// The same type by the spelling of earlier versions.
public typealias HttpClientConfiguration = HTTPClientConfiguration
