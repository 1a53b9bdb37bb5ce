import RecorderConfiguration

/// The domain of errors that a Cognito provider raises itself; codes in ``AWSCognitoCredentialsProviderErrorType``.
public let AWSCognitoCredentialsProviderErrorDomain = "com.amazonaws.AWSCognitoCredentialsProviderErrorDomain"

/// The codes of ``AWSCognitoCredentialsProviderErrorDomain``.
public enum AWSCognitoCredentialsProviderErrorType: Int, Sendable {
    /// Any other error.
    case errorUnknown = 0
    /// There is no identity.
    case identityIdIsNil = 1
    /// The region, the pool or an endpoint is invalid.
    case invalidConfiguration = 2
    /// The login's token is invalid.
    case invalidCognitoIdentityToken = 3
    /// The keys did not arrive in time.
    case credentialsRefreshTimeout = 4
}

/// The domain of errors about logins; codes in ``AWSCognitoCredentialsProviderHelperErrorType``.
public let AWSCognitoCredentialsProviderHelperErrorDomain =
    "com.amazonaws.service.cognitoidentity.AWSCognitoCredentialsProviderHelper"

/// The codes of ``AWSCognitoCredentialsProviderHelperErrorDomain``.
public enum AWSCognitoCredentialsProviderHelperErrorType: Int, Sendable {
    /// There is no identity.
    case identityIsNil = 0
    /// The login's token did not arrive in time.
    case tokenRefreshTimeout = 1
}

/// The domain of errors that Cognito returns; codes in ``AWSCognitoIdentityErrorType``.
public let AWSCognitoIdentityErrorDomain = "com.amazonaws.AWSCognitoIdentityErrorDomain"

/// The codes of ``AWSCognitoIdentityErrorDomain``.
public enum AWSCognitoIdentityErrorType: Int, Sendable {
    /// Any other error; see its description.
    case unknown = 0
    /// Two requests changed the same resource at the same time.
    case concurrentModification = 1
    /// Your backend registered this user for another identity.
    case developerUserAlreadyRegistered = 2
    /// A login provider failed.
    case externalService = 3
    /// Cognito failed.
    case internalError = 4
    /// The pool has no role for this identity.
    case invalidIdentityPoolConfiguration = 5
    /// A parameter of the request is invalid.
    case invalidParameter = 6
    /// A limit of the account is reached.
    case limitExceeded = 7
    /// The pool does not accept this identity.
    case notAuthorized = 8
    /// A login belongs to another identity.
    case resourceConflict = 9
    /// There is no such pool or identity.
    case resourceNotFound = 10
    /// Too many requests.
    case tooManyRequests = 11
}

extension ServiceErrorTable {
    /// The errors of Cognito.
    static let cognitoIdentity = ServiceErrorTable(
        domain: AWSCognitoIdentityErrorDomain,
        codes: [
            "ConcurrentModificationException": 1,
            "DeveloperUserAlreadyRegisteredException": 2,
            "ExternalServiceException": 3,
            "InternalErrorException": 4,
            "InvalidIdentityPoolConfigurationException": 5,
            "InvalidParameterException": 6,
            "LimitExceededException": 7,
            "NotAuthorizedException": 8,
            "ResourceConflictException": 9,
            "ResourceNotFoundException": 10,
            "TooManyRequestsException": 11,
        ]
    )
}
