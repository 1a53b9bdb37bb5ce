package import Foundation
package import RecorderHTTP

/// Why a call to a service gave no usable answer.
package struct ServiceFailure: Error, Sendable, Equatable {
    /// The kinds that lead to different actions.
    package indirect enum Kind: Sendable, Equatable {
        /// There was no whole answer.
        case transport(HTTPFailure)
        /// The service wants us to slow down.
        case throttled
        /// The service has trouble of its own, which may pass.
        case transient
        /// The credentials are expired or unknown, even after one renewal.
        case expiredCredentials
        /// The credentials, or a key they need, are not allowed to do this.
        case denied
        /// The signature's time is refused, even after one correction.
        case clockSkew
        /// The stream, pool or other thing named does not exist.
        case notFound
        /// The request itself is wrong; sending it again cannot help.
        case invalidRequest
        /// No credentials could be had.
        case credentials(CredentialsFailure)
        /// A setting cannot be used.
        case configuration(ConfigurationFailure)
        /// The answer points elsewhere, where signed requests are never sent.
        case redirect
        /// The service said yes, in words that make no sense.
        case unreadable
        /// The calling task was cancelled.
        case cancelled
        /// Anything else; the code and the message say what.
        case other
    }

    /// What to do about it.
    package let kind: Kind

    /// The service's own code, such as `ResourceNotFoundException`.
    package let code: String?

    /// The service's message or ours: one line, at most 512 bytes, control characters escaped.
    package let message: String

    /// What AWS support asks for.
    package let requestID: String?

    /// The HTTP status, where there was an answer.
    package let status: Int?

    /// The strings that the error document held, as they were written (`__type`, `message`, `Message`).
    package let fields: [String: String]

    /// The time on the service's clock, where it told.
    package let serverDate: Date?

    /// How long the service asks to wait, where it does.
    package let retryAfter: Duration?

    /// A failure; the message is made legible here.
    package init(
        _ kind: Kind,
        code: String? = nil,
        message: String,
        requestID: String? = nil,
        status: Int? = nil,
        fields: [String: String] = [:],
        serverDate: Date? = nil,
        retryAfter: Duration? = nil
    ) {
        self.kind = kind
        self.code = code
        self.message = Legible.text(message)
        self.requestID = requestID
        self.status = status
        self.fields = fields
        self.serverDate = serverDate
        self.retryAfter = retryAfter
    }
}

extension ServiceFailure {
    /// Whether the service itself answered. A proxy or a captive portal answers with a status and a page, without the
    /// service's codes or request ids.
    package var isOfService: Bool { code != nil || requestID != nil }

    /// Whether the service itself calls what was sent invalid: in an error document of its own, with a request id, by a
    /// code that says so. Only then may a refused request cost a record: gateways answer 413 or 400 as well, some of them
    /// with request ids or codes in headers.
    package var provesInvalidInput: Bool {
        guard let code, let status, (400..<500).contains(status), fields["__type"] != nil, requestID?.isEmpty == false
        else { return false }
        return InvalidInputCodes.contains(code)
    }
}

extension ServiceFailure: CustomStringConvertible {
    package var description: String {
        var text = code.map { "\($0): " } ?? ""
        text += message
        if let status { text += " (HTTP \(status)" + (requestID.map { ", request \($0))" } ?? ")") }
        return text
    }
}
