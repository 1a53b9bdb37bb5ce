import Foundation
import RecorderHTTP
import SmithyHTTPAPI

/// The client's own engine, for those who put theirs around it.
struct CurlClientEngine: SmithyHTTPAPI.HTTPClient {
    /// What it throws is known to ``EngineTransport``, however many engines lie between.
    func send(request: SmithyHTTPAPI.HTTPRequest) async throws -> SmithyHTTPAPI.HTTPResponse {
        // Time limits and the like are those of the request that this one was made from.
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
