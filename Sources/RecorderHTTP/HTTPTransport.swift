/// Sends HTTP requests. Tests and users replace it.
package protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response, whatever its status.
    ///
    /// Throws only if there is no complete response. Cancelling the calling task ends the request immediately.
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
}

/// Why there is no complete response.
package struct HTTPFailure: Error, Sendable, Equatable {
    /// The kinds that callers distinguish.
    package enum Kind: Sendable, Equatable {
        /// The URL, or that of the proxy, cannot be used, so nothing was sent.
        case invalidURL
        /// The name of the host or of the proxy cannot be resolved.
        case nameNotResolved
        /// The connection was not accepted.
        case cannotConnect
        /// The TLS handshake failed.
        case tls
        /// The server's certificate is not trusted, or is for another host.
        case certificateUntrusted
        /// The client's certificate or key cannot be used, or the server refused the certificate.
        case clientCertificate
        /// A time limit was exceeded.
        case timedOut
        /// The connection ended before the end of the response.
        case connectionLost
        /// The response is longer than `maximumResponseBytes`, or its headers are too long.
        case responseTooLarge
        /// The response is not HTTP.
        case unreadableResponse
        /// The calling task was cancelled.
        case cancelled
        /// Anything else; see the detail.
        case other
    }

    /// The kind of failure.
    package let kind: Kind

    /// What happened, in a sentence. Contains host names and sizes, never headers or bodies.
    package let detail: String

    /// A failure.
    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

extension HTTPFailure: CustomStringConvertible {
    package var description: String { detail }
}
