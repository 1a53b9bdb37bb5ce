import Foundation
import RecorderConcurrency
import RecorderHTTP
import SmithyHTTPAPI

/// Sends through an engine of the user's.
struct EngineTransport: HTTPTransport {
    let engine: any SmithyHTTPAPI.HTTPClient

    /// Who is cancelled stops waiting at once, whether the engine heeds it or not.
    func send(_ request: RecorderHTTP.HTTPRequest) async throws(HTTPFailure) -> RecorderHTTP.HTTPResponse {
        let cancelled = HTTPFailure(.cancelled, "the request was cancelled.")
        return try await SingleFlight<RecorderHTTP.HTTPResponse, HTTPFailure>(cancelled: cancelled)
            .value { () throws(HTTPFailure) in try await answer(to: request) }
    }

    private func answer(to request: RecorderHTTP.HTTPRequest) async throws(HTTPFailure) -> RecorderHTTP.HTTPResponse {
        let response: SmithyHTTPAPI.HTTPResponse
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

    private static func request(_ request: RecorderHTTP.HTTPRequest) throws(HTTPFailure) -> SmithyHTTPAPI.HTTPRequest {
        guard let destination = URI(request.url), let method = HTTPMethodType(rawValue: request.method.rawValue) else {
            throw HTTPFailure(.invalidURL, "the endpoint is no address of http or https.")
        }
        var headers = Headers()
        for header in request.headers { headers.add(name: header.name, value: header.value) }
        return SmithyHTTPAPI.HTTPRequest(
            method: method,
            uri: destination,
            headers: headers,
            body: request.body.isEmpty ? .noStream : .data(Data(request.body)),
            origin: request
        )
    }
}

extension HTTPFailure {
    /// What an engine's error means.
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
            case .badURL, .unsupportedURL: .invalidURL
            case .dataLengthExceedsMaximum: .responseTooLarge
            case .badServerResponse, .cannotParseResponse, .zeroByteResource: .unreadableResponse
            default: .other
            }
    }
}
