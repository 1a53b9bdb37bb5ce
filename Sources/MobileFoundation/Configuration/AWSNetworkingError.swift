/// The domain of the AWS SDK's networking classes; codes in ``AWSNetworkingErrorType``.
///
/// Here, as mostly there, requests without a response fail with errors of `NSURLErrorDomain`.
public let AWSNetworkingErrorDomain = "com.amazonaws.AWSNetworkingErrorDomain"

/// The codes of ``AWSNetworkingErrorDomain``.
public enum AWSNetworkingErrorType: Int, Sendable {
    /// Any other error.
    case unknown = 0
    /// The request was cancelled.
    case cancelled = 1
    /// The session had ended.
    case sessionInvalid = 2
}
