import Foundation
import RecorderConcurrency
import RecorderHTTP
import ServiceClientHTTP

/// Sends requests through an engine that the user provided.
struct EngineTransport: HTTPTransport {
    let engine: any ServiceClientHTTP.HTTPClient

    /// A cancelled task stops waiting immediately, even if the engine ignores cancellation.
    func send(_ request: RecorderHTTP.HTTPRequest) async throws(HTTPFailure) -> RecorderHTTP.HTTPResponse {
        let cancelled = HTTPFailure(.cancelled, "the request was cancelled.")
        return try await SingleFlight<RecorderHTTP.HTTPResponse, HTTPFailure>(
            cancelled: cancelled,
            on: UserCodeExecutor.shared
        )
        .value { () throws(HTTPFailure) in try await answer(to: request) }
    }

    private func answer(to request: RecorderHTTP.HTTPRequest) async throws(HTTPFailure) -> RecorderHTTP.HTTPResponse {
        let response: ServiceClientHTTP.HTTPResponse
        let body: [UInt8]
        do {
            response = try await engine.send(request: try Self.request(request))
            body = try await response.body.readData().map(Array.init) ?? []
        } catch {
            throw HTTPFailure(ofEngine: error)
        }
        guard body.count <= request.maximumResponseBytes else {
            let sizes = "\(body.count) bytes, and at most \(request.maximumResponseBytes) are taken"
            throw HTTPFailure(.responseTooLarge, "httpClientEngine: the answer has \(sizes).")
        }
        let headers = response.headers.headers.flatMap { header in header.value.map { HTTPHeader(header.name, $0) } }
        return RecorderHTTP.HTTPResponse(status: response.statusCode.rawValue, headers: headers, body: body)
    }

    private static func request(_ request: RecorderHTTP.HTTPRequest) throws(HTTPFailure)
        -> ServiceClientHTTP.HTTPRequest
    {
        guard let destination = URI(request.url), let method = HTTPMethodType(rawValue: request.method.rawValue) else {
            throw HTTPFailure(.invalidURL, "the endpoint is not an http or https URL.")
        }
        var headers = Headers()
        for header in request.headers { headers.add(name: header.name, value: header.value) }
        return ServiceClientHTTP.HTTPRequest(
            method: method,
            uri: destination,
            headers: headers,
            body: request.body.isEmpty ? .noStream : .data(Data(request.body)),
            origin: request
        )
    }
}

/// The client's own engine, which an engine of the user can wrap.
struct CurlClientEngine: ServiceClientHTTP.HTTPClient {
    /// Throws `HTTPFailure`, which ``EngineTransport`` passes on through any number of engines in between.
    func send(request: ServiceClientHTTP.HTTPRequest) async throws -> ServiceClientHTTP.HTTPResponse {
        // The original request has what the engine's type cannot express, such as timeouts.
        var sent = request.origin as? RecorderHTTP.HTTPRequest ?? RecorderHTTP.HTTPRequest(url: "")
        sent.url = "\(request.destination)"
        sent.method = try Self.method(request.method)
        sent.headers = request.headers.headers.flatMap { header in header.value.map { HTTPHeader(header.name, $0) } }
        sent.body = request.body.bytes.map(Array.init) ?? []
        let answer = try await CurlTransport.shared.send(sent)
        var headers = Headers()
        for header in answer.headers { headers.add(name: header.name, value: header.value) }
        guard let status = HTTPStatusCode(nearest: answer.status) else {
            throw HTTPFailure(.unreadableResponse, "the answer has the status \(answer.status).")
        }
        return HTTPResponse(headers: headers, statusCode: status, body: .data(Data(answer.body)))
    }

    private static func method(_ method: HTTPMethodType) throws(HTTPFailure) -> RecorderHTTP.HTTPRequest.Method {
        guard let method = RecorderHTTP.HTTPRequest.Method(rawValue: method.rawValue) else {
            throw HTTPFailure(.other, "\(method.rawValue) is not sent by this client; calls are sent by POST.")
        }
        return method
    }
}

extension HTTPFailure {
    /// The failure that corresponds to an engine's error.
    fileprivate init(ofEngine error: any Error) {
        switch error {
        case let error as HTTPFailure: self = error
        case is CancellationError: self.init(.cancelled, "the request was cancelled.")
        case let error as URLError:
            self.init(Kind(error.code), "httpClientEngine: \(error.localizedDescription)")
        default: self.init(.other, "httpClientEngine: \(error.localizedDescription)")
        }
    }
}

extension HTTPFailure.Kind {
    fileprivate init(_ code: URLError.Code) {
        self =
            switch code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: .nameNotResolved
            case .cannotConnectToHost: .cannotConnect
            case .networkConnectionLost: .connectionLost
            case .secureConnectionFailed: .tls
            case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid:
                .certificateUntrusted
            case .clientCertificateRejected, .clientCertificateRequired: .clientCertificate
            case .badURL, .unsupportedURL: .invalidURL
            case .dataLengthExceedsMaximum: .responseTooLarge
            case .badServerResponse, .cannotParseResponse, .zeroByteResource: .unreadableResponse
            default: .other
            }
    }
}
