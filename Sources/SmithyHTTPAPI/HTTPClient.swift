/// Carries the requests of a client: set one as `httpClientEngine` to carry them your own way.
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
/// An engine gets requests signed and complete, one for each attempt. It checks the server's certificate, keeps time limits
/// and follows no redirect; the client's own engine does all three.
public protocol HTTPClient: Sendable {
    /// Sends one request and gives the answer, of whatever status. Called from any thread, side by side.
    ///
    /// What it throws counts as no answer: an `URLError`'s code tells whether another attempt may help, other errors are not
    /// tried again. Whoever waits for a cancelled call stops waiting at once.
    func send(request: HTTPRequest) async throws -> HTTPResponse
}
