/// The seam between AWS and the network: one request in, one whole answer out.
package protocol HTTPTransport: Sendable {
    /// Sends one request and gives the answer, of whatever status.
    ///
    /// Throws only when there is no whole answer. Cancelling the calling task ends the wait at once.
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
}

/// Why there is no whole answer.
package struct HTTPFailure: Error, Sendable, Equatable {
    /// The kinds that callers tell apart.
    package enum Kind: Sendable, Equatable {
        /// The address, or the proxy's, cannot be used, so nothing was sent.
        case invalidURL
        /// The host's, or the proxy's, name has no address.
        case nameNotResolved
        /// Nobody accepted the connection.
        case cannotConnect
        /// The two sides found no common TLS.
        case tls
        /// The server's certificate is not trusted, or not for this host.
        case certificateUntrusted
        /// Connecting, waiting or the whole request took longer than allowed.
        case timedOut
        /// The connection ended before the answer did.
        case connectionLost
        /// The answer is longer than `maximumResponseBytes`, or its headers are absurdly long.
        case responseTooLarge
        /// What came back is not HTTP.
        case unreadableResponse
        /// The calling task was cancelled.
        case cancelled
        /// Anything else; the detail says what.
        case other
    }

    /// What kind of failure it is.
    package let kind: Kind

    /// What happened, in a sentence; holds host names and sizes, never headers or bodies.
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
