public import Foundation

/// An error that the service answered with.
public protocol AWSServiceError: LocalizedError, CustomStringConvertible, Sendable {
    /// The service's code, such as `ResourceNotFoundException`; nil if it gave none.
    var errorCode: String? { get }

    /// The service's text, on one line, cut to 512 bytes.
    var message: String? { get }

    /// What AWS support asks for.
    var requestID: String? { get }

    /// The HTTP status of the answer; nil if the error was made by hand.
    var statusCode: Int? { get }
}

extension AWSServiceError {
    /// Code, text, status and request, as far as they are known.
    public var description: String {
        let text = [errorCode ?? "The service refused the call", message].compactMap { $0 }.joined(separator: ": ")
        let answer = [statusCode.map { "HTTP \($0)" }, requestID.map { "request \($0)" }].compactMap { $0 }
        return answer.isEmpty ? text : "\(text) (\(answer.joined(separator: ", ")))"
    }

    /// The same as the description.
    public var errorDescription: String? { description }

    /// The error itself: the AWS SDK keeps the message one level down as well.
    public var properties: Self { self }
}

/// An error that the service model knows, with a type of its own.
public protocol ModeledError: AWSServiceError {
    /// The error's code on the wire.
    static var typeName: String { get }

    /// An error as it would come from the service.
    init(message: String?, requestID: String?, statusCode: Int?)
}

extension ModeledError {
    /// The error's code on the wire.
    public var errorCode: String? { Self.typeName }
}

/// An error whose code the service model does not know, such as those of the signature check.
public struct UnknownAWSHTTPServiceError: AWSServiceError, Equatable {
    /// The service's code; nil if it gave none.
    public let errorCode: String?

    /// The service's text, on one line, cut to 512 bytes.
    public let message: String?

    /// What AWS support asks for.
    public let requestID: String?

    /// The HTTP status of the answer.
    public let statusCode: Int?

    /// The same as ``errorCode``.
    public var typeName: String? { errorCode }
}

extension ServiceFailure {
    /// The error for users of the clients.
    package var clientError: any Error {
        switch kind {
        case .cancelled: return CancellationError()
        case .configuration(let failure): return AWSClientError(.configuration, failure.message)
        case .credentials(let failure): return AWSClientError(.credentials, failure.message)
        case .transport: return AWSClientError(.noAnswer, message)
        case .unreadable: return AWSClientError(.unreadableAnswer, message)
        case .redirect, .throttled, .transient, .expiredCredentials, .denied, .clockSkew, .notFound, .invalidRequest,
            .other:
            break
        }
        if let type = code.flatMap({ modeledErrors[$0] }) {
            return type.init(message: message, requestID: requestID, statusCode: status)
        }
        return UnknownAWSHTTPServiceError(errorCode: code, message: message, requestID: requestID, statusCode: status)
    }
}
