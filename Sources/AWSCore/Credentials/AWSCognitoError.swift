/// The domain of errors that a Cognito provider finds itself; codes in ``AWSCognitoCredentialsProviderErrorType``.
public let AWSCognitoCredentialsProviderErrorDomain = "com.amazonaws.AWSCognitoCredentialsProviderErrorDomain"

/// The codes of ``AWSCognitoCredentialsProviderErrorDomain``.
public enum AWSCognitoCredentialsProviderErrorType: Int, Sendable {
    /// Anything else.
    case errorUnknown = 0
    /// There is no identity.
    case identityIdIsNil = 1
    /// The region, the pool or an endpoint cannot be used.
    case invalidConfiguration = 2
    /// The login's token cannot be used.
    case invalidCognitoIdentityToken = 3
    /// The keys did not come in time.
    case credentialsRefreshTimeout = 4
}

/// The domain of errors about logins; codes in ``AWSCognitoCredentialsProviderHelperErrorType``.
public let AWSCognitoCredentialsProviderHelperErrorDomain =
    "com.amazonaws.service.cognitoidentity.AWSCognitoCredentialsProviderHelper"

/// The codes of ``AWSCognitoCredentialsProviderHelperErrorDomain``.
public enum AWSCognitoCredentialsProviderHelperErrorType: Int, Sendable {
    /// There is no identity.
    case identityIsNil = 0
    /// The login's token did not come in time.
    case tokenRefreshTimeout = 1
}

/// The domain of errors that Cognito answers with; codes in ``AWSCognitoIdentityErrorType``.
public let AWSCognitoIdentityErrorDomain = "com.amazonaws.AWSCognitoIdentityErrorDomain"

/// The codes of ``AWSCognitoIdentityErrorDomain``.
public enum AWSCognitoIdentityErrorType: Int, Sendable {
    /// Anything else; the error's description says what.
    case unknown = 0
    /// Two requests changed the same thing.
    case concurrentModification = 1
    /// Your backend registered this user for another identity.
    case developerUserAlreadyRegistered = 2
    /// A login provider had trouble.
    case externalService = 3
    /// Cognito had trouble.
    case internalError = 4
    /// The pool has no role for this identity.
    case invalidIdentityPoolConfiguration = 5
    /// A value of the request is wrong.
    case invalidParameter = 6
    /// A limit of the account is reached.
    case limitExceeded = 7
    /// The pool does not let this identity in.
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
