/// Sends the requests of a client. Set your own as `httpClientEngine`.
///
/// ```swift
/// struct CountingEngine: HTTPClient {
///     let target: any HTTPClient
///
///     func send(request: HTTPRequest) async throws -> HTTPResponse {
///         requestCount.add(1, ordering: .relaxed)
///         return try await target.send(request: request)
///     }
/// }
/// config.httpClientEngine = CountingEngine(target: config.httpClientEngine)
/// ```
/// An engine receives complete, signed requests, one for each attempt. It must verify the server's certificate, limit the
/// time, and not follow redirects, as the client's own engine does.
public protocol HTTPClient: Sendable {
    /// Sends a request and returns the response, whatever its status. Called from any thread, concurrently.
    ///
    /// An error means that there is no response. The code of a `URLError` decides whether the call is tried again; other errors
    /// are final. A cancelled call ends immediately, without waiting for the engine.
    func send(request: HTTPRequest) async throws -> HTTPResponse
}
