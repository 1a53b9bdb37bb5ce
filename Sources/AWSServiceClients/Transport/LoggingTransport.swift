import Foundation
import RecorderAWS
import RecorderHTTP

/// Logs requests and answers as a client's log mode says.
struct LoggingTransport: HTTPTransport {
    let target: any HTTPTransport
    let mode: ClientLogMode
    let log: RequestLog

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if mode.showsRequests { log.debug { line(for: request) } }
        let response = try await target.send(request)
        if mode.showsResponses { log.debug { line(for: response, to: request) } }
        return response
    }

    private func line(for request: HTTPRequest) -> String {
        let shown =
            mode == .requestWithoutAuthorizationHeader
            ? request.headers.filter { $0.name.lowercased() != "authorization" } : request.headers
        return "request: \(request.method.rawValue) \(request.url) \(text(headers: shown, body: request.body))"
    }

    private func line(for response: HTTPResponse, to request: HTTPRequest) -> String {
        let line = "answer: HTTP \(response.status) \(text(headers: response.headers, body: response.body))"
        // A service may quote parts of the request.
        return request.secretParts.reduce(line) { $0.replacing($1, with: "(redacted)") }
    }

    private func text(headers: [HTTPHeader], body: [UInt8]) -> String {
        let shown = headers.map { "\($0.name): \($0.isSecret ? "(redacted)" : $0.value)" }
        let outline = mode.showsBodies && !body.isEmpty ? " \(BodyOutline.text(of: body))" : ""
        return "[\(shown.joined(separator: ", "))] \(body.count) bytes\(outline)"
    }
}

/// Where a client's requests and answers are logged.
package struct RequestLog: Sendable {
    /// Logs a line. The closure that makes the line is called only if the level `debug` is on.
    package let debug: @Sendable (_ line: () -> String) -> Void

    /// Creates a log that passes its lines to `debug`.
    package init(debug: @escaping @Sendable (_ line: () -> String) -> Void) {
        self.debug = debug
    }

    /// The package's own log.
    static let standard = RequestLog { line in RecorderLog.debug(line()) }
}

extension HTTPHeader {
    fileprivate var isSecret: Bool {
        ["authorization", "x-amz-security-token", "proxy-authorization", "cookie", "set-cookie"]
            .contains(name.lowercased())
    }
}

extension HTTPRequest {
    /// Token and signature.
    fileprivate var secretParts: [String] {
        headers.filter(\.isSecret).flatMap { header in
            [header.value, header.value.split(separator: "Signature=").last.map(String.init) ?? ""]
        }.filter { !$0.isEmpty }
    }
}

/// The structure of a JSON body without its content: the names of the fields, and the type and size of each value.
private enum BodyOutline {
    static func text(of body: [UInt8]) -> String {
        guard let value = try? JSONSerialization.jsonObject(with: Data(body)) else { return "(no JSON)" }
        return outline(value, depth: 0)
    }

    private static func outline(_ value: Any, depth: Int) -> String {
        guard depth < 8 else { return "…" }
        switch value {
        case let fields as [String: Any]:
            let shown = fields.sorted { $0.key < $1.key }.prefix(32).map { name, value in
                "\"\(name.sanitized(limit: 64))\":\(outline(value, depth: depth + 1))"
            }
            return "{\(shown.joined(separator: ","))}"
        case let values as [Any]:
            // The records of a list have the same structure, so the first is enough.
            return values.first.map { "[\(values.count) × \(outline($0, depth: depth + 1))]" } ?? "[]"
        case let text as String: return "text(\(text.utf8.count))"
        case is NSNull: return "null"
        default: return "number"
        }
    }
}
