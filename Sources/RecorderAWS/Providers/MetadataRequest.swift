import RecorderHTTP

/// A request for keys: to an agent on this machine or its host, without a proxy, with a time limit of seconds, for at most
/// 64 KiB; or any other request.
struct MetadataRequest: Sendable {
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
    func send(by transport: any HTTPTransport) async throws(CredentialsFailure) -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw failure(ServiceFailure(error))
        }
        if let refusal = ServiceFailure(response, redacting: secrets) { throw failure(refusal) }
        return response
    }

    /// Sends the request up to three times, because an agent may start later than the program, and a network may fail.
    func send(in context: CredentialsContext) async throws(CredentialsFailure) -> HTTPResponse {
        var tries = 0
        while true {
            do throws(CredentialsFailure) {
                return try await send(by: context.transport)
            } catch {
                tries += 1
                guard error.underlying?.mayPass == true, tries < 3 else { throw error }
            }
            do {
                try await context.pause(.milliseconds(100 << tries))
            } catch {
                throw .stoppedWaiting
            }
        }
    }

    private func failure(_ failure: ServiceFailure) -> CredentialsFailure {
        let kind: CredentialsFailure.Kind = failure.kind == .cancelled ? .cancelled : .failed
        return CredentialsFailure("\(origin): \(failure)", kind: kind, underlying: failure)
    }
}

extension ServiceFailure {
    /// Whether another try may succeed.
    fileprivate var mayPass: Bool {
        if case .transport(let failure) = kind { return failure.kind == .cannotConnect || failure.isTransient }
        return isBusy
    }

    /// Whether a service responded that it cannot now.
    var isBusy: Bool { kind == .transient || kind == .throttled }
}
