import RecorderAWS
import RecorderHTTP

/// Starts no request once a signal came. Those on their way go on: ``StoppableFlush`` ends them after a while.
struct StoppableTransport: HTTPTransport {
    let transport: any HTTPTransport
    let stop: StopSignal

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard stop.number == nil else { throw HTTPFailure(.cancelled, "A signal came before the request.") }
        return try await transport.send(request)
    }

    /// A delay before a retry, which a signal ends.
    static func pause(_ duration: Duration, _ stop: StopSignal) async throws {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {
            guard stop.number == nil else { throw CancellationError() }
            try await Task.sleep(until: min(end, .now + .milliseconds(100)))
        }
    }
}
