public import Foundation
import RecorderConcurrency
import RecorderHTTP

/// The timeouts and retries of requests.
///
/// The AWS SDK's other settings had no effect on Kinesis and Firehose, or have no meaning here. Safe to use from any
/// thread. A recorder copies its configuration when it is created.
open class AWSNetworkingConfiguration: NSObject, NSCopying {
    private struct Settings {
        /// nil until it is set.
        var maxRetryCount: UInt32?
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
    @available(*, deprecated, message: "Clients have their own addresses; pass an AWSEndpoint. This has no effect.")
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

    /// The largest ``maxRetryCount``, whatever sets it.
    static let largestRetryCount: UInt32 = 10

    /// The maximum number of retries of a request; 3 by default, 10 at most.
    ///
    /// If it is never set, `AWS_MAX_ATTEMPTS` or `max_attempts` of the profile takes precedence over the default.
    /// It is limited to 10 retries, too.
    public var maxRetryCount: UInt32 {
        get { settings.withLock { $0.maxRetryCount } ?? 3 }
        set { settings.withLock { $0.maxRetryCount = min(newValue, Self.largestRetryCount) } }
    }

    /// Seconds after which a request fails in which no byte was sent, received, or acknowledged by the service; 0, the
    /// default, means 60. A stalled upload may end up to an eighth later. Throughput is measured over the same time; see
    /// ``minimumBytesPerSecond``.
    ///
    /// A value below 10 seconds also limits the time to connect.
    public var timeoutIntervalForRequest: TimeInterval {
        get { settings.withLock { $0.timeoutIntervalForRequest } }
        set { settings.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Seconds from start to end after which a request fails; 0, the default, means ten minutes, or as long as the body
    /// takes at 4 KiB per second, if that is longer.
    ///
    /// Applies to each retry separately. The AWS SDK's default was seven days, so a server that responded one byte at a
    /// time could keep a submit from ever ending.
    public var timeoutIntervalForResource: TimeInterval {
        get { settings.withLock { $0.timeoutIntervalForResource } }
        set { settings.withLock { $0.timeoutIntervalForResource = newValue } }
    }

    /// The minimum throughput in bytes per second, both directions together, on average over ``timeoutIntervalForRequest``.
    /// A slower request fails. 1 by default, 0 for no limit.
    public var minimumBytesPerSecond: Int {
        get { settings.withLock { $0.minimumBytesPerSecond } }
        set { settings.withLock { $0.minimumBytesPerSecond = max(newValue, 0) } }
    }

    /// Has no effect: a client has its own address. Pass an ``AWSEndpoint`` for a custom one.
    @available(*, deprecated, message: "Clients have their own addresses; pass an AWSEndpoint. This has no effect.")
    public var baseURL: URL! {
        get { settings.withLock { $0.baseURL } }
        set { settings.withLock { $0.baseURL = newValue } }
    }

    /// Has no effect: a client has its own address. Pass an ``AWSEndpoint`` for a custom one.
    @available(*, deprecated, message: "Clients have their own addresses; pass an AWSEndpoint. This has no effect.")
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

    /// Has no effect: there are no app extensions here.
    @available(*, deprecated, message: "There are no app extensions here; this has no effect.")
    public var sharedContainerIdentifier: String! {
        get { settings.withLock { $0.sharedContainerIdentifier } }
        set { settings.withLock { $0.sharedContainerIdentifier = newValue } }
    }

    /// Has no effect: Linux does not distinguish cellular connections.
    @available(*, deprecated, message: "Linux does not distinguish cellular connections; this has no effect.")
    public var allowsCellularAccess: Bool {
        get { settings.withLock { $0.allowsCellularAccess } }
        set { settings.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// A copy with independent settings. It is not of a subclass; a subclass with state of its own overrides this.
    open func copy(with zone: NSZone? = nil) -> Any {
        AWSNetworkingConfiguration(copying: self)
    }

    /// Whether ``maxRetryCount`` was set.
    final var hasRetryCount: Bool { settings.withLock { $0.maxRetryCount } != nil }

    /// The timeouts for the transport. A value that is not a positive number of seconds counts as not set.
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

// Safe because all mutable state is behind a lock, and a subclass must be safe, too. Not visible in Swift 5 mode, as for
// `AWSCredentials`.
@available(swift, introduced: 6)
extension AWSNetworkingConfiguration: @unchecked Sendable {}

/// The HTTP methods, with the AWS SDK's raw values.
public enum AWSHTTPMethod: Int, Sendable {
    /// None.
    case unknown = 0
    /// GET.
    case GET
    /// HEAD.
    case HEAD
    /// POST, which all calls use.
    case POST
    /// PUT.
    case PUT
    /// PATCH.
    case PATCH
    /// DELETE.
    case DELETE
}
