public import Foundation

/// An error that the service returned.
public protocol AWSServiceError: LocalizedError, CustomStringConvertible, Sendable {
    /// The service's code, such as `ResourceNotFoundException`; nil if it returned none.
    var errorCode: String? { get }

    /// The service's message, on one line, truncated to 512 bytes.
    var message: String? { get }

    /// The ID of the request, for AWS Support.
    var requestID: String? { get }

    /// The HTTP status of the answer; nil if the program created the error itself, and by default.
    var statusCode: Int? { get }
}

extension AWSServiceError {
    /// Nil.
    public var statusCode: Int? { nil }

    /// Code, message, status and request ID, as far as they are known.
    public var description: String {
        sentence(code: errorCode, message: message, status: statusCode, requestID: requestID)
    }

    /// The same as the description.
    public var errorDescription: String? { description }

    /// The error itself, for code written for the AWS SDK, where the message is in `properties`.
    public var properties: Self { self }
}

/// The text of an error. Not generic: compiled once for all types of errors.
private func sentence(code: String?, message: String?, status: Int?, requestID: String?) -> String {
    let text = [code ?? "The service refused the call", message].compactMap { $0 }.joined(separator: ": ")
    let answer = [status.map { "HTTP \($0)" }, requestID.map { "request \($0)" }].compactMap { $0 }
    return answer.isEmpty ? text : "\(text) (\(answer.joined(separator: ", ")))"
}

/// An error whose code is not in the service model, such as those of the signature check.
public struct UnknownAWSHTTPServiceError: AWSServiceError, Equatable {
    /// The service's code; nil if it returned none.
    public let errorCode: String?

    /// The service's message, on one line, truncated to 512 bytes.
    public let message: String?

    /// The ID of the request, for AWS Support.
    public let requestID: String?

    /// The HTTP status of the answer.
    public let statusCode: Int?

    /// The same as ``errorCode``.
    public var typeName: String? { errorCode }
}
