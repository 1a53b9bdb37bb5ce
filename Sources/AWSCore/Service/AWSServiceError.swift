/// The domain of errors that every service can answer with; codes in ``AWSServiceErrorType``.
public let AWSServiceErrorDomain = "com.amazonaws.AWSServiceErrorDomain"

/// The errors that every service can answer with; the raw value is the `NSError`'s code.
public enum AWSServiceErrorType: Int, Sendable {
    /// Anything else; the error's description says what.
    case unknown = 0
    /// The signature's time is too far from the service's.
    case requestTimeTooSkewed = 1
    /// The signature, or its time, is refused.
    case invalidSignatureException = 2
    /// The secret key does not fit the access key.
    case signatureDoesNotMatch = 3
    /// The signature is too old.
    case requestExpired = 4
    /// The keys could not be checked.
    case authFailure = 5
    /// A policy does not allow the action.
    case accessDeniedException = 6
    /// The access key, or the session token, is unknown.
    case unrecognizedClientException = 7
    /// A part of the signature is missing.
    case incompleteSignature = 8
    /// The access key is unknown.
    case invalidClientTokenId = 9
    /// The request has no credentials, or none could be found to sign it.
    case missingAuthenticationToken = 10
    /// A policy does not allow the action.
    case accessDenied = 11
    /// The session token has expired; also for the code `ExpiredTokenException`.
    case expiredToken = 12
    /// The access key is unknown.
    case invalidAccessKeyId = 13
    /// The session token is wrong.
    case invalidToken = 14
    /// The session token must be renewed.
    case tokenRefreshRequired = 15
    /// Access failed.
    case accessFailure = 16
    /// The request has no credentials.
    case authMissingFailure = 17
    /// Too many requests.
    case throttling = 18
    /// Too many requests.
    case throttlingException = 19
}

/// The domain that the original used for errors of its networking classes; codes in ``AWSNetworkingErrorType``.
///
/// Errors without an answer come in `NSURLErrorDomain` here, as they mostly did there.
public let AWSNetworkingErrorDomain = "com.amazonaws.AWSNetworkingErrorDomain"

/// The codes of ``AWSNetworkingErrorDomain``.
public enum AWSNetworkingErrorType: Int, Sendable {
    /// Anything else.
    case unknown = 0
    /// The request was cancelled.
    case cancelled = 1
    /// The session had ended.
    case sessionInvalid = 2
}

/// The key, in an error's `userInfo`, of the HTTP status: an `NSNumber`, there where the service answered.
public let AWSServiceErrorStatusCodeKey = "statusCode"

/// The key, in an error's `userInfo`, of the request's id: a `String` that AWS support asks for.
public let AWSServiceErrorRequestIDKey = "requestId"
