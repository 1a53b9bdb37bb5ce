import RecorderHTTP

/// A request for keys: to an agent on this machine or its host, without a proxy, with a time limit of seconds, for at most
/// 64 KiB; or any other request.
struct MetadataRequest: Sendable {
    /// Why there is no usable response.
    struct Failure: Error {
        /// The failure to throw.
        let cause: CredentialsFailure
        /// The response's status; nil without a response.
        let status: Int?
        /// Whether another try may succeed.
        let isTransient: Bool
    }

    private let request: HTTPRequest
    private let origin: String
    /// What an error must not quote.
    private let secrets: [String]

    /// A request; its errors begin with `origin`.
    init(_ request: HTTPRequest, origin: String, redacting secrets: [String] = []) {
        self.request = request
        self.origin = origin
        let shown = ["User-Agent", "Content-Type"]
        // Also without what precedes a token, as in "Bearer".
        self.secrets =
            secrets
            + request.headers.filter { !shown.contains($0.name) }.flatMap { header in
                [header.value] + header.value.split(separator: " ").suffix(1).map(String.init)
            }
    }

    /// A request to an agent; its errors begin with `origin`, and `timeout` is for the whole request.
    init(
        _ method: HTTPRequest.Method = .get,
        url: String,
        headers: [HTTPHeader] = [],
        timeout: Duration = .seconds(2),
        origin: String
    ) {
        let request = HTTPRequest(
            method: method,
            url: url,
            headers: headers + [HTTPHeader("User-Agent", UserAgent.standard)],
            timeouts: HTTPTimeouts(connect: .seconds(1), stall: timeout, total: timeout),
            maximumResponseBytes: 64 << 10,
            usesEnvironmentProxy: false
        )
        self.init(request, origin: origin)
    }

    /// Sends the request and returns a response of success. Redirects are not followed.
    func send(by transport: any HTTPTransport) async throws(Failure) -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw failure(ServiceFailure(error), isTransient: error.kind == .cannotConnect || error.isTransient)
        }
        guard let refusal = ServiceFailure(response, redacting: secrets) else { return response }
        throw failure(refusal, isTransient: refusal.kind == .transient || refusal.kind == .throttled)
    }

    /// Sends the request up to three times, because an agent may start later than the program, and a network may fail.
    func send(in context: CredentialsContext) async throws(Failure) -> HTTPResponse {
        var tries = 0
        while true {
            do throws(Failure) {
                return try await send(by: context.transport)
            } catch {
                tries += 1
                guard error.isTransient, tries < 3 else { throw error }
            }
            do {
                try await context.pause(.milliseconds(100 << tries))
            } catch {
                throw Failure(cause: .stoppedWaiting, status: nil, isTransient: false)
            }
        }
    }

    private func failure(_ failure: ServiceFailure, isTransient: Bool) -> Failure {
        let kind: CredentialsFailure.Kind = failure.kind == .cancelled ? .cancelled : .failed
        let cause = CredentialsFailure("\(origin): \(failure)", kind: kind, underlying: failure)
        return Failure(cause: cause, status: failure.status, isTransient: isTransient)
    }
}
