import RecorderConcurrency

/// The methods of HTTP.
public enum HTTPMethodType: String, Sendable {
    case connect = "CONNECT"
    case delete = "DELETE"
    case get = "GET"
    case head = "HEAD"
    case options = "OPTIONS"
    case patch = "PATCH"
    case post = "POST"
    case put = "PUT"
    case trace = "TRACE"
}

/// A request, ready to send. Descriptions show neither its headers, which contain a signature, nor its body.
///
/// The signature covers the body and all headers except `User-Agent`. These must not be changed, but more headers may be
/// added. Safe to use from any thread.
public final class HTTPRequest: Sendable {
    private struct State: Sendable {
        var headers: Headers
        var body: ByteStream
    }

    /// The method.
    public let method: HTTPMethodType

    /// The request's URI.
    public let destination: URI

    /// The original request, from which the client's own engine takes time limits and proxy settings. Nil in a new request.
    package let origin: (any Sendable)?

    private let state: Locked<State>

    /// A request.
    public convenience init(
        method: HTTPMethodType,
        uri: URI,
        headers: Headers,
        body: ByteStream = .noStream
    ) {
        self.init(method: method, uri: uri, headers: headers, body: body, origin: nil)
    }

    /// A request with a reference to the one it was made from.
    package init(
        method: HTTPMethodType,
        uri: URI,
        headers: Headers,
        body: ByteStream,
        origin: (any Sendable)?
    ) {
        self.method = method
        destination = uri
        self.origin = origin
        state = Locked(State(headers: headers, body: body))
    }

    /// The headers, in the order in which they are sent.
    public var headers: Headers {
        get { state.withLock { $0.headers } }
        set { state.withLock { $0.headers = newValue } }
    }

    /// The body.
    public var body: ByteStream {
        get { state.withLock { $0.body } }
        set { state.withLock { $0.body = newValue } }
    }

    /// The destination's host, without the port.
    public var host: String { destination.host }

    /// The destination's path.
    public var path: String { destination.path }

    /// Adds a value to a header.
    public func withHeader(name: String, value: String) {
        state.withLock { $0.headers.add(name: name, value: value) }
    }

    /// Removes a header.
    public func withoutHeader(name: String) {
        state.withLock { $0.headers.remove(name: name) }
    }

    /// Replaces the body.
    public func withBody(_ body: ByteStream) {
        state.withLock { $0.body = body }
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method and destination.
    public var description: String { "\(method.rawValue) \(destination)" }

    /// A mirror that contains only the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description]) }
}
