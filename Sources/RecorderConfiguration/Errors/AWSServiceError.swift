/// The domain of errors that every service can return; codes in ``AWSServiceErrorType``.
public let AWSServiceErrorDomain = "com.amazonaws.AWSServiceErrorDomain"

/// The errors that every service can return. The raw value is the `NSError`'s code.
public enum AWSServiceErrorType: Int, Sendable {
    /// Any other error; see its description.
    case unknown = 0
    /// The signature's time differs too much from the service's.
    case requestTimeTooSkewed = 1
    /// The signature or its time is invalid.
    case invalidSignatureException = 2
    /// The secret key does not belong to the access key.
    case signatureDoesNotMatch = 3
    /// The signature is too old.
    case requestExpired = 4
    /// The keys could not be validated.
    case authFailure = 5
    /// A policy does not allow the action.
    case accessDeniedException = 6
    /// The access key, or the session token, is unknown.
    case unrecognizedClientException = 7
    /// Part of the signature is missing.
    case incompleteSignature = 8
    /// The access key is unknown.
    case invalidClientTokenId = 9
    /// The request has no credentials, or none were found to sign it.
    case missingAuthenticationToken = 10
    /// A policy does not allow the action.
    case accessDenied = 11
    /// The session token has expired; also for the code `ExpiredTokenException`.
    case expiredToken = 12
    /// The access key is unknown.
    case invalidAccessKeyId = 13
    /// The session token is invalid.
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

/// The `userInfo` key of the HTTP status, an `NSNumber`; absent if the service did not respond.
public let AWSServiceErrorStatusCodeKey = "statusCode"

/// The `userInfo` key of the request's ID, a `String` that AWS support asks for.
public let AWSServiceErrorRequestIDKey = "requestId"
