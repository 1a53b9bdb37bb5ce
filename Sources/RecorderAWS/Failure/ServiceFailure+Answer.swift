import Foundation
package import RecorderHTTP

extension ServiceFailure {
    /// The failure that an answer stands for; nil if its status is one of success.
    ///
    /// Services may quote the request that they refuse, token and signature included: `secrets` are blotted out.
    package init?(_ response: HTTPResponse, hiding secrets: @autoclosure () -> [String] = []) {
        guard !(200..<300).contains(response.status) else { return nil }
        let body = ErrorBody(response, hiding: secrets())
        let code = body.code ?? Self.headerCode(response)
        self.init(
            FailureKinds.kind(code: code, status: response.status),
            code: code.map { Legible.text($0, limit: 128) },
            message: body.message ?? "The service answered with status \(response.status) and no message.",
            requestID: (response.header("x-amzn-RequestId") ?? response.header("x-amz-request-id"))
                .map { Legible.text($0, limit: 128) },
            status: response.status,
            fields: body.fields,
            serverDate: response.date,
            retryAfter: response.header("x-amz-retry-after").flatMap(Self.retryAfter)
        )
    }

    /// The failure of one record, by its own entry in the answer.
    package init(ofRecord code: String, message: String) {
        self.init(
            FailureKinds.kind(ofRecord: code),
            code: Legible.text(code, limit: 128),
            message: message.isEmpty ? "The service did not take the record and gave no message." : message
        )
    }

    /// The failure of a request without an answer.
    package init(_ failure: HTTPFailure) {
        self.init(failure.kind == .cancelled ? .cancelled : .transport(failure), message: failure.detail)
    }

    /// The failure of a call for which there are no keys.
    package init(_ failure: CredentialsFailure) {
        self.init(failure.kind == .cancelled ? .cancelled : .credentials(failure), message: failure.message)
    }

    /// The code in `X-Amzn-ErrorType`, which may be followed by a colon and an address.
    private static func headerCode(_ response: HTTPResponse) -> String? {
        let value = response.header("X-Amzn-ErrorType")?.prefix { $0 != ":" } ?? ""
        return value.split(separator: "#").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The delay that the service asks for, in whole milliseconds; up to a day is believed.
    private static func retryAfter(_ value: String) -> Duration? {
        guard let milliseconds = Int(value), (0...86_400_000).contains(milliseconds) else { return nil }
        return .milliseconds(milliseconds)
    }
}

/// What the body of an error answer says, in whichever of the three forms it is.
private struct ErrorBody {
    var code: String?
    var message: String?
    var fields: [String: String] = [:]

    /// More than this is not an error document.
    private static let limit = 64 << 10

    init(_ response: HTTPResponse, hiding secrets: [String]) {
        let text = String(decoding: response.body.prefix(Self.limit), as: UTF8.self)
        // A document that is not JSON, or too deep to be one, is read as text: it is an error either way.
        if response.body.count <= Self.limit, let json = try? JSONDecoder().decode(JSON.self, from: Data(response.body))
        {
            fields = json.fields
            code = fields["__type"]?.split(separator: "#").last.map(String.init)
            message = fields["message"] ?? fields["Message"]
        } else if let code = XMLText.element("Code", in: text) {
            self.code = XMLText.unescaped(code)
            message = XMLText.element("Message", in: text).map(XMLText.unescaped)
        } else {
            // Before the page is cut: what is left of a secret there would be found no more.
            message = Self.plain(Self.blot(secrets, in: text))
        }
        if message?.isEmpty == true { message = nil }
        message = message.map { Self.blot(secrets, in: $0) }
        code = code.map { Self.blot(secrets, in: $0) }
        fields = fields.mapValues { Self.blot(secrets, in: $0) }
    }

    /// Shorter texts are no secrets, and would spoil sentences.
    private static let shortestSecret = 16

    private static func blot(_ secrets: [String], in text: String) -> String {
        secrets.filter { $0.utf8.count >= shortestSecret }.reduce(text) { text, secret in
            text.replacingOccurrences(of: secret, with: "(redacted)")
        }
    }

    /// The JSON form: only strings count, whatever else is there.
    private struct JSON: Decodable {
        var fields: [String: String] = [:]

        enum CodingKeys: String, CodingKey, CaseIterable {
            case type = "__type"
            case message
            case capitalizedMessage = "Message"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            for key in CodingKeys.allCases {
                // A number or an object under the key is as good as nothing.
                fields[key.rawValue] = try? container.decode(String.self, forKey: key)
            }
        }
    }

    /// A page's words without its tags.
    private static func plain(_ page: String) -> String {
        var words = ""
        var isInTag = false
        for character in page.prefix(4096) {
            if character == "<" { isInTag = true }
            words.append(isInTag ? " " : character)
            if character == ">" { isInTag = false }
        }
        return words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
