package import FoundationEssentials
package import RecorderHTTP

extension ServiceFailure {
    /// The failure that a response describes; nil for a status of success.
    ///
    /// A service may quote the request that it refuses, token and signature included, so `secrets` are redacted.
    package init?(_ response: HTTPResponse, redacting secrets: @autoclosure () -> [String] = []) {
        guard !(200..<300).contains(response.status) else { return nil }
        let body = ErrorBody(response, redacting: secrets())
        let code = body.code ?? Self.headerCode(response)
        self.init(
            FailureKinds.kind(code: code, status: response.status),
            code: code?.sanitized(limit: 128),
            message: body.message ?? "The service answered with status \(response.status) and no message.",
            requestID: (response.header("x-amzn-RequestId") ?? response.header("x-amz-request-id"))?
                .sanitized(limit: 128),
            status: response.status,
            fields: body.fields,
            isJSON: body.isJSON,
            serverDate: response.date,
            retryAfter: response.header("x-amz-retry-after").flatMap(Self.retryAfter)
        )
    }

    /// The failure of one record, from its own entry in the response.
    package init(ofRecord code: String, message: String) {
        self.init(
            FailureKinds.kind(ofRecord: code),
            code: code.sanitized(limit: 128),
            message: message.isEmpty ? "The service did not take the record and gave no message." : message
        )
    }

    /// The failure of a request without a response.
    package init(_ failure: HTTPFailure) {
        self.init(failure.kind == .cancelled ? .cancelled : .transport(failure), message: failure.detail)
    }

    /// The failure of a call without credentials.
    package init(_ failure: CredentialsFailure) {
        self.init(failure.kind == .cancelled ? .cancelled : .credentials(failure), message: failure.message)
    }

    /// The code in `X-Amzn-ErrorType`, which a colon and an address may follow.
    private static func headerCode(_ response: HTTPResponse) -> String? {
        let value = response.header("X-Amzn-ErrorType")?.prefix { $0 != ":" } ?? ""
        return value.split(separator: "#").last.map { String($0.trimmed()) }
    }

    /// The delay that the service asks for, in whole milliseconds. More than a day is ignored.
    private static func retryAfter(_ value: String) -> Duration? {
        guard let milliseconds = Int(value), (0...86_400_000).contains(milliseconds) else { return nil }
        return .milliseconds(milliseconds)
    }
}

extension HTTPResponse {
    /// The service's time, from the `Date` header.
    package var date: Date? { header("Date").flatMap(UTCTime.init(httpDate:))?.date }
}

/// The code and the message in the body of an error response: JSON, CBOR, XML, or an HTML page from something in between.
private struct ErrorBody {
    var code: String?
    var message: String?
    var fields: [String: String] = [:]
    var isJSON = false

    /// Error documents are shorter than this.
    private static let limit = 64 << 10

    init(_ response: HTTPResponse, redacting secrets: [String]) {
        let text = String(decoding: response.body.prefix(Self.limit), as: UTF8.self)
        // What cannot be decoded as JSON, or is nested too deeply, is read as text.
        if response.body.count <= Self.limit, let json = try? JSONDecoder().decode(JSON.self, from: Data(response.body))
        {
            isJSON = true
            readFields(json.fields)
        } else if CBOR.mayBeMap(response.body) {
            // Not shown as text if it cannot be read.
            readFields(Self.fields(cbor: response.body.prefix(Self.limit)))
        } else if let code = XMLText.element("Code", in: text) {
            self.code = XMLText.unescaped(code)
            message = XMLText.element("Message", in: text).map(XMLText.unescaped)
        } else {
            // Redacted before the page is cut, because a cut-off secret would not be found.
            message = Self.plain(Self.redact(secrets, in: text))
        }
        if message?.isEmpty == true { message = nil }
        message = message.map { Self.redact(secrets, in: $0) }
        code = code.map { Self.redact(secrets, in: $0) }
        fields = fields.mapValues { Self.redact(secrets, in: $0) }
    }

    private mutating func readFields(_ found: [String: String]) {
        fields = found
        code = found["__type"]?.split(separator: "#").last.map(String.init)
        message = found["message"] ?? found["Message"]
    }

    /// The strings of an error document in CBOR; none if it is not well-formed.
    private static func fields(cbor body: ArraySlice<UInt8>) -> [String: String] {
        var found: [String: String] = [:]
        do {
            var reader = CBORReader(body)
            guard var members = try reader.beginMap() else { return [:] }
            while try reader.hasNext(in: &members) {
                let key = try reader.value()
                // Anything but text under a key counts as missing, as in JSON.
                guard case (.text(let key), .text(let text)) = (key, try reader.value()) else { continue }
                if JSON.CodingKeys(rawValue: key) != nil { found[key] = text }
            }
        } catch {
            return [:]
        }
        return found
    }

    /// Shorter strings are not secret, and replacing them would garble messages.
    private static let shortestSecret = 16

    private static func redact(_ secrets: [String], in text: String) -> String {
        // In bytes: a combining mark after a secret changes the secret's last character.
        let bytes = secrets.filter { $0.utf8.count >= shortestSecret }.reduce(Array(text.utf8)) { text, secret in
            text.replacing(Array(secret.utf8), with: "(redacted)".utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The JSON form, of which only strings are used.
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
                // A number or an object under this key counts as missing.
                fields[key.rawValue] = try? container.decode(String.self, forKey: key)
            }
        }
    }

    /// The text of a page without its tags.
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
