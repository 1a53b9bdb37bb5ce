/// Whose fault an error of a service is.
public enum ErrorFault: Sendable {
    /// The request's: the client has to change it.
    case client
    /// The service's.
    case server
}

/// A type of error in a service model. A program may define its own, and make it an ``AWSServiceError`` too.
///
/// ```swift
/// struct QuotaException: ModeledError, AWSServiceError {
///     static let typeName = "QuotaException"
///     static let fault = ErrorFault.client
///     var message: String?
///     var requestID: String?
/// }
/// ```
public protocol ModeledError: Error {
    /// The error's code on the wire.
    static var typeName: String { get }

    /// Whose fault the error is.
    static var fault: ErrorFault { get }

    /// Whether the service model calls the error retryable. False by default, as for all errors of Kinesis and Firehose,
    /// which are retried by their codes.
    static var isRetryable: Bool { get }

    /// Whether the service model calls the error one of throttling. False by default; if true, so is `isRetryable`.
    static var isThrottling: Bool { get }
}

extension ModeledError {
    /// False.
    public static var isRetryable: Bool { false }

    /// False.
    public static var isThrottling: Bool { false }

    /// The error's code on the wire.
    public var typeName: String? { Self.typeName }
}

extension AWSServiceError where Self: ModeledError {
    /// The error's code on the wire.
    public var errorCode: String? { Self.typeName }
}

/// An error of the service models, which the clients create from an answer.
protocol ReturnedError: AWSServiceError {
    init(message: String?, requestID: String?, statusCode: Int?)
}
