/// A header line of a request or a response.
package struct HTTPHeader: Sendable, Equatable {
    /// The name as it is sent. Comparison is case-insensitive.
    package var name: String

    /// The value, without line breaks.
    package var value: String

    /// A header line.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request.
///
/// Headers and body may contain keys, tokens and records, so descriptions and mirrors show neither.
package struct HTTPRequest: Sendable {
    /// The methods that AWS services and credentials endpoints use.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    /// The method.
    package var method: Method

    /// The absolute URL, `http` or `https`.
    package var url: String

    /// The headers, sent in this order.
    package var headers: [HTTPHeader]

    /// The body; empty for none.
    package var body: [UInt8]

    /// The time limits.
    package var timeouts: HTTPTimeouts

    /// The maximum size of the response's body in bytes; 4 MiB by default.
    package var maximumResponseBytes: Int

    /// Whether `https_proxy` and similar variables apply. They must not for credentials endpoints on this machine.
    package var usesEnvironmentProxy: Bool

    /// The certificate to show to the server; nil, the default, for none.
    package var clientCertificate: ClientCertificate?

    /// The path of a PEM file with the only authorities to trust; nil, the default, for those of the transport.
    package var certificateAuthorities: String?

    /// A request.
    package init(
        method: Method = .post,
        url: String,
        headers: [HTTPHeader] = [],
        body: [UInt8] = [],
        timeouts: HTTPTimeouts = HTTPTimeouts(),
        maximumResponseBytes: Int = 4 << 20,
        usesEnvironmentProxy: Bool = true
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.maximumResponseBytes = maximumResponseBytes
        self.usesEnvironmentProxy = usesEnvironmentProxy
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    package var description: String {
        "\(method.rawValue) \(url), \(headers.count) headers, \(body.count) bytes"
    }

    package var customMirror: Mirror {
        Mirror(self, children: ["summary": description])
    }
}

/// A complete response with any status.
package struct HTTPResponse: Sendable {
    /// The status code, 200 to 599.
    package var status: Int

    /// The headers of the final response, in the order in which they were received.
    package var headers: [HTTPHeader]

    /// The body.
    package var body: [UInt8]

    /// A response.
    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header with this name, case-insensitively; nil if there is none.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    package var description: String {
        "HTTP \(status), \(headers.count) headers, \(body.count) bytes"
    }

    package var customMirror: Mirror {
        Mirror(self, children: ["summary": description])
    }
}
