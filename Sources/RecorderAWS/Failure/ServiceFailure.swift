package import FoundationEssentials
package import RecorderHTTP

/// Why a call to a service gave no usable response.
package struct ServiceFailure: Error, Sendable, Equatable {
    /// The kinds that callers handle differently.
    package indirect enum Kind: Sendable, Equatable {
        /// There was no complete response.
        case transport(HTTPFailure)
        /// The service asks for fewer requests.
        case throttled
        /// The service failed in a way that may be temporary.
        case transient
        /// The credentials are expired or unknown, and one renewal did not help.
        case expiredCredentials
        /// The credentials, or an encryption key that the operation needs, do not permit it.
        case denied
        /// The signature's time was refused, and one correction did not help.
        case clockSkew
        /// The named resource, such as a stream or a pool, does not exist.
        case notFound
        /// The request itself is invalid; sending it again cannot help.
        case invalidRequest
        /// There are no credentials.
        case credentials(CredentialsFailure)
        /// A setting cannot be used.
        case configuration(ConfigurationFailure)
        /// The response is a redirect, which is never followed with a signed request.
        case redirect
        /// The status says success, but the body cannot be read.
        case unreadable
        /// The calling task was cancelled.
        case cancelled
        /// Anything else; see the code and the message.
        case other
    }

    /// The kind of failure.
    package let kind: Kind

    /// The service's own code, such as `ResourceNotFoundException`.
    package let code: String?

    /// The service's message or one of this package: one line, at most 512 bytes, control characters escaped.
    package private(set) var message: String

    /// The request's id, which AWS support asks for.
    package let requestID: String?

    /// The HTTP status; nil without a response.
    package let status: Int?

    /// The strings of the error document, unchanged (`__type`, `message`, `Message`).
    package let fields: [String: String]

    /// Whether the error document is JSON.
    package let isJSON: Bool

    /// The service's time, from the response's `Date` header.
    package let serverDate: Date?

    /// How long the service asks to wait, if it does.
    package let retryAfter: Duration?

    /// A failure; the message is sanitized here.
    package init(
        _ kind: Kind,
        code: String? = nil,
        message: String,
        requestID: String? = nil,
        status: Int? = nil,
        fields: [String: String] = [:],
        isJSON: Bool = false,
        serverDate: Date? = nil,
        retryAfter: Duration? = nil
    ) {
        self.kind = kind
        self.code = code
        self.message = message.sanitized()
        self.requestID = requestID
        self.status = status
        self.fields = fields
        self.isJSON = isJSON
        self.serverDate = serverDate
        self.retryAfter = retryAfter
    }
}

extension ServiceFailure {
    /// The same failure with another message.
    package func with(message: String) -> ServiceFailure {
        var failure = self
        failure.message = message.sanitized()
        return failure
    }

    /// Whether the response came from the service. A proxy or a captive portal responds with a status and a page, without
    /// an error code or a request id of the service.
    package var isOfService: Bool { code != nil || requestID != nil }
}

extension ServiceFailure: CustomStringConvertible {
    package var description: String {
        var text = code.map { "\($0): " } ?? ""
        text += message
        if let status { text += " (HTTP \(status)" + (requestID.map { ", request \($0))" } ?? ")") }
        return text
    }
}
