package import RecorderHTTP

/// One operation to call, with its body and options.
package struct CallRequest: Sendable {
    package let operation: String
    let context: EndpointContext
    let body: [UInt8]
    let bodyDigest: [UInt8]?
    let format: RequestFormat
    let headers: [HTTPHeader]
    package var maximumResponseBytes: Int
    let secrets: [String]

    /// A request for an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation's name, such as `PutRecords`.
    ///   - body: The request's body.
    ///   - context: Members of the input that the host depends on.
    ///   - bodyDigest: The body's SHA-256, if it is already known.
    ///   - format: The body's encoding, if the service does not take forms.
    ///   - headers: Headers in addition to those that every call has.
    ///   - maximumResponseBytes: A longer response is a failure.
    ///   - secrets: Strings in the body that are redacted from error messages of the service.
    package init(
        _ operation: String,
        body: [UInt8],
        context: EndpointContext = EndpointContext(),
        bodyDigest: [UInt8]? = nil,
        format: RequestFormat = .json,
        headers: [HTTPHeader] = [],
        maximumResponseBytes: Int = 4 << 20,
        redacting secrets: [String] = []
    ) {
        self.operation = operation
        self.context = context
        self.body = body
        self.bodyDigest = bodyDigest
        self.format = format
        self.headers = headers
        self.maximumResponseBytes = maximumResponseBytes
        self.secrets = secrets
    }
}

extension CallRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(operation), \(body.count) bytes" }

    /// A mirror without body, headers and secrets.
    package var customMirror: Mirror { Mirror(self, children: ["summary": description]) }
}

extension AWSService {
    /// The headers that name the operation. Services that take forms have its name in the body.
    func headers(for call: CallRequest) -> [HTTPHeader] {
        guard let targetPrefix else {
            return [HTTPHeader("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]
        }
        return [
            HTTPHeader("Content-Type", call.format.contentType),
            HTTPHeader("X-Amz-Target", "\(targetPrefix).\(call.operation)"),
        ]
    }
}
