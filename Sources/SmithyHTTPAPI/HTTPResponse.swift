import RecorderConcurrency

/// One whole answer. Its body may hold records, so no description shows it. Safe to use from any thread.
public final class HTTPResponse: Sendable {
    private struct State: Sendable {
        var headers: Headers
        var statusCode: HTTPStatusCode
        var body: ByteStream
    }

    /// What the server said beside the status, if the engine tells.
    public let reason: String?

    private let state: Locked<State>

    /// An answer.
    public init(
        headers: Headers = Headers(),
        statusCode: HTTPStatusCode = .processing,
        body: ByteStream = .noStream,
        reason: String? = nil
    ) {
        self.reason = reason
        state = Locked(State(headers: headers, statusCode: statusCode, body: body))
    }

    /// The same, by the older order.
    public convenience init(
        headers: Headers = Headers(),
        body: ByteStream,
        statusCode: HTTPStatusCode,
        reason: String? = nil
    ) {
        self.init(headers: headers, statusCode: statusCode, body: body, reason: reason)
    }

    /// The headers, in the order they came.
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

    /// A mirror that shows the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description]) }
}
