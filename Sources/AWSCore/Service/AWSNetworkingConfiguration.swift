public import Foundation
import RecorderConcurrency
import RecorderHTTP

/// How long requests may take and how often they are tried again.
///
/// What the original let you set besides either had no effect on Kinesis and Firehose, or has no meaning here. Safe to
/// use from any thread. A recorder takes a copy when it is made.
public class AWSNetworkingConfiguration: NSObject, NSCopying, @unchecked Sendable {
    // Safe because all that changes is behind a lock.

    private struct Settings {
        var maxRetryCount: UInt32 = 3
        var timeoutIntervalForRequest: TimeInterval = 0
        var timeoutIntervalForResource: TimeInterval = 0
        var minimumBytesPerSecond = HTTPTimeouts().minimumBytesPerSecond
        var allowsCellularAccess = true
        var baseURL: URL?
        var urlString: String?
        var httpMethod = AWSHTTPMethod.unknown
        var sharedContainerIdentifier: String?
    }

    private let settings: Locked<Settings>

    /// `baseURL` and `urlString` together; it has no effect.
    @available(*, deprecated, message: "Clients know their addresses; give an AWSEndpoint. This has no effect.")
    public var url: URL! {
        urlString.map { URL(string: $0, relativeTo: baseURL) } ?? baseURL
    }

    /// A configuration with the defaults.
    public override init() {
        settings = Locked(Settings())
    }

    /// A configuration with another's settings.
    init(copying other: AWSNetworkingConfiguration) {
        settings = Locked(other.settings.withLock { $0 })
    }

    /// How often a request is tried again at most; 3 by default, never more than 10.
    public var maxRetryCount: UInt32 {
        get { settings.withLock { $0.maxRetryCount } }
        set { settings.withLock { $0.maxRetryCount = min(newValue, 10) } }
    }

    /// Seconds without a byte in either direction after which a request fails; 0, the default, means 60. Over the same
    /// time, the bytes that move must reach ``minimumBytesPerSecond``.
    ///
    /// Where this is less than 10 seconds, it limits connecting, too.
    public var timeoutIntervalForRequest: TimeInterval {
        get { settings.withLock { $0.timeoutIntervalForRequest } }
        set { settings.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Seconds from start to end after which a request fails; 0, the default, means ten minutes, or as long as the body
    /// takes at 4 KiB a second, if that is longer.
    ///
    /// Each retry has this time anew. The original's default was seven days, so a server that answered a byte at a time
    /// could keep a submit from ever ending.
    public var timeoutIntervalForResource: TimeInterval {
        get { settings.withLock { $0.timeoutIntervalForResource } }
        set { settings.withLock { $0.timeoutIntervalForResource = newValue } }
    }

    /// How many bytes a second must move, up and down together, on average over ``timeoutIntervalForRequest``, so that an
    /// answer which only trickles ends; 1 by default, 0 for no limit.
    public var minimumBytesPerSecond: Int {
        get { settings.withLock { $0.minimumBytesPerSecond } }
        set { settings.withLock { $0.minimumBytesPerSecond = max(newValue, 0) } }
    }

    /// Has no effect: a client knows its address; give an ``AWSEndpoint`` for one of your own.
    @available(*, deprecated, message: "Clients know their addresses; give an AWSEndpoint. This has no effect.")
    public var baseURL: URL! {
        get { settings.withLock { $0.baseURL } }
        set { settings.withLock { $0.baseURL = newValue } }
    }

    /// Has no effect: a client knows its address; give an ``AWSEndpoint`` for one of your own.
    @available(*, deprecated, message: "Clients know their addresses; give an AWSEndpoint. This has no effect.")
    public var urlString: String! {
        get { settings.withLock { $0.urlString } }
        set { settings.withLock { $0.urlString = newValue } }
    }

    /// Has no effect: every call is a POST.
    @available(*, deprecated, message: "Every call is a POST; this has no effect.")
    public var httpMethod: AWSHTTPMethod {
        get { settings.withLock { $0.httpMethod } }
        set { settings.withLock { $0.httpMethod = newValue } }
    }

    /// Has no effect: an app extension shares no container here.
    @available(*, deprecated, message: "There are no app extensions here; this has no effect.")
    public var sharedContainerIdentifier: String! {
        get { settings.withLock { $0.sharedContainerIdentifier } }
        set { settings.withLock { $0.sharedContainerIdentifier = newValue } }
    }

    /// Has no effect: Linux does not tell cellular connections from others.
    @available(*, deprecated, message: "Linux does not tell cellular connections from others; this has no effect.")
    public var allowsCellularAccess: Bool {
        get { settings.withLock { $0.allowsCellularAccess } }
        set { settings.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// A copy with settings of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        AWSNetworkingConfiguration(copying: self)
    }

    /// The timeouts as the transport knows them; what is not a positive number of seconds counts as not set.
    final var timeouts: HTTPTimeouts {
        let settings = settings.withLock { $0 }
        var timeouts = HTTPTimeouts()
        if let stall = Duration(limitInSeconds: settings.timeoutIntervalForRequest) {
            timeouts.stall = stall
            timeouts.connect = min(timeouts.connect, stall)
        }
        timeouts.minimumBytesPerSecond = settings.minimumBytesPerSecond
        timeouts.total = Duration(limitInSeconds: settings.timeoutIntervalForResource)
        return timeouts
    }
}
