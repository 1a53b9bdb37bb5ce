import RecorderConcurrency
import RecorderHTTP

/// Sends at most so many requests at the same time; later ones wait, first come, first served.
///
/// The limit is of requests and not of libcurl's connections, because clients share those, and a request that libcurl makes
/// wait would use up its time limit.
struct ConcurrencyLimitingTransport: HTTPTransport {
    private let target: any HTTPTransport
    // One unit is a request.
    private let requests: InFlightByteLimiter

    init(target: any HTTPTransport, limit: Int) {
        self.target = target
        requests = InFlightByteLimiter(capacity: limit)
    }

    /// A cancelled task stops waiting immediately.
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let cancelled = HTTPFailure(.cancelled, "the request was cancelled.")
        return try await SingleFlight<HTTPResponse, HTTPFailure>(cancelled: cancelled)
            .value { () throws(HTTPFailure) in
                await requests.acquire(1)
                defer { requests.release(1) }
                guard !Task.isCancelled else { throw cancelled }
                return try await target.send(request)
            }
    }
}
