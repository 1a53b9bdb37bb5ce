import RecorderConcurrency

/// A complete response. Descriptions do not show its body, which may contain records. Safe to use from any thread.
public final class HTTPResponse: Sendable {
    private struct State: Sendable {
        var headers: Headers
        var statusCode: HTTPStatusCode
        var body: ByteStream
    }

    /// The reason phrase of the status line, if the engine provides it.
    public let reason: String?

    private let state: Locked<State>

    /// A response.
    public init(
        headers: Headers = Headers(),
        statusCode: HTTPStatusCode = .processing,
        body: ByteStream = .noStream,
        reason: String? = nil
    ) {
        self.reason = reason
        state = Locked(State(headers: headers, statusCode: statusCode, body: body))
    }

    /// A response, with the parameters in an older order.
    public convenience init(
        headers: Headers = Headers(),
        body: ByteStream,
        statusCode: HTTPStatusCode,
        reason: String? = nil
    ) {
        self.init(headers: headers, statusCode: statusCode, body: body, reason: reason)
    }

    /// The headers, in the order in which they were received.
    public var headers: Headers {
        get { state.withLock { $0.headers } }
        set { state.withLock { $0.headers = newValue } }
    }

    /// The status.
    public var statusCode: HTTPStatusCode {
        get { state.withLock { $0.statusCode } }
        set { state.withLock { $0.statusCode = newValue } }
    }

    /// The body.
    public var body: ByteStream {
        get { state.withLock { $0.body } }
        set { state.withLock { $0.body = newValue } }
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "HTTP \(statusCode.rawValue)" }

    /// A mirror that contains only the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description]) }
}
