/// One header line of a request or an answer.
package struct HTTPHeader: Sendable, Equatable {
    /// The name, as it is written on the wire; compared without regard to case.
    package var name: String

    /// The value, without line ends.
    package var value: String

    /// A header line.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// One request: everything that decides what goes over the wire.
///
/// Headers and body can hold keys, tokens and records, so neither shows in a description or a mirror.
package struct HTTPRequest: Sendable {
    /// The methods that AWS services and credential endpoints ask for.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    /// The method.
    package var method: Method

    /// The absolute address, `http` or `https`.
    package var url: String

    /// The headers, sent in this order.
    package var headers: [HTTPHeader]

    /// The body; empty for none.
    package var body: [UInt8]

    /// How long to wait.
    package var timeouts: HTTPTimeouts

    /// The largest body an answer may have, in bytes; 4 MiB by default.
    package var maximumResponseBytes: Int

    /// Whether `https_proxy` and its relatives apply. Credential endpoints on the host must say no.
    package var usesEnvironmentProxy: Bool

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
