import RecorderHTTP

/// Says what goes out and what comes back, as a client's log mode asks for.
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
        return "request: \(request.method.rawValue) \(request.url) \(text(shown, request.body))"
    }

    private func line(for response: HTTPResponse, to request: HTTPRequest) -> String {
        let line = "answer: HTTP \(response.status) \(text(response.headers, response.body))"
        // A service may quote what it was sent.
        return request.secretParts.reduce(line) { $0.replacing($1, with: "(redacted)") }
    }

    private func text(_ headers: [HTTPHeader], _ body: [UInt8]) -> String {
        let shown = headers.map { "\($0.name): \($0.isSecret ? "(redacted)" : $0.value)" }
        let outline = mode.showsBodies && !body.isEmpty ? " \(BodyOutline.text(of: body))" : ""
        return "[\(shown.joined(separator: ", "))] \(body.count) bytes\(outline)"
    }
}

/// Where a client's requests and answers are logged.
package struct RequestLog: Sendable {
    /// Takes a line; not called, and the line not made, where nobody reads it.
    package let debug: @Sendable (_ line: () -> String) -> Void

    /// A log that is written to by this.
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
