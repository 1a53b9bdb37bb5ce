import Foundation
import RecorderHTTP

/// One request for keys to this machine's host: by no proxy, within a second or two, for at most 64 KiB.
struct MetadataRequest: Sendable {
    /// Why there is no usable answer.
    struct Failure: Error {
        /// The failure as users see it.
        let cause: CredentialsFailure
        /// The status of the answer; nil if there was none.
        let status: Int?
        /// Whether another try may do better.
        let mayPass: Bool
    }

    private let request: HTTPRequest
    private let origin: String

    /// A request; `origin` begins its errors, and `timeout` is for all of it.
    init(
        _ method: HTTPRequest.Method = .get,
        url: String,
        headers: [HTTPHeader] = [],
        timeout: Duration = .seconds(2),
        origin: String
    ) {
        self.origin = origin
        request = HTTPRequest(
            method: method,
            url: url,
            headers: headers + [HTTPHeader("User-Agent", UserAgent.standard)],
            timeouts: HTTPTimeouts(connect: .seconds(1), stall: timeout, total: timeout),
            maximumResponseBytes: 64 << 10,
            usesEnvironmentProxy: false
        )
    }

    /// Sends it, and gives an answer of success; no redirect is followed.
    func send(by transport: any HTTPTransport) async throws(Failure) -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw failure(ServiceFailure(error), mayPass: error.kind == .cannotConnect || error.mayPass)
        }
        guard let refusal = ServiceFailure(response) else { return response }
        throw failure(refusal, mayPass: refusal.kind == .transient || refusal.kind == .throttled)
    }

    private func failure(_ failure: ServiceFailure, mayPass: Bool) -> Failure {
        let kind: CredentialsFailure.Kind = failure.kind == .cancelled ? .cancelled : .failed
        let cause = CredentialsFailure("\(origin): \(failure)", kind: kind, underlying: failure)
        return Failure(cause: cause, status: failure.status, mayPass: mayPass)
    }
}
