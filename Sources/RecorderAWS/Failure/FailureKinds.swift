/// Maps AWS error codes to kinds of failure. For an unknown code the HTTP status decides.
enum FailureKinds {
    /// The kind of an error response.
    static func kind(code: String?, status: Int) -> ServiceFailure.Kind {
        code.flatMap(kind(code:)) ?? kind(status: status)
    }

    /// The kind for the code of a single record in a successful response: throttled or transient.
    ///
    /// Firehose answers `ServiceUnavailable` when a stream has reached its throughput limit.
    static func kind(ofRecord code: String) -> ServiceFailure.Kind {
        code.hasPrefix("ServiceUnavailable") || kind(code: code) == .throttled ? .throttled : .transient
    }

    private static func kind(code: String) -> ServiceFailure.Kind? {
        if let kind = table[code] { return kind }
        if code.hasPrefix("Throttling") || code.hasPrefix("LimitExceeded") { return .throttled }
        return InvalidInputCodes.contains(code) ? .invalidRequest : nil
    }

    private static func kind(status: Int) -> ServiceFailure.Kind {
        switch status {
        case 300..<400: .redirect
        case 401, 403, 407: .denied
        case 404: .notFound
        case 413: .invalidRequest
        case 429: .throttled
        case 408, 500...: .transient
        default: .other
        }
    }

    private static let table: [String: ServiceFailure.Kind] = {
        var table: [String: ServiceFailure.Kind] = [:]
        let kinds: [(ServiceFailure.Kind, [String])] = [
            (.throttled, throttled), (.transient, transient), (.expiredCredentials, expiredCredentials),
            (.clockSkew, clockSkew), (.denied, denied), (.notFound, notFound), (.invalidRequest, invalidRequest),
        ]
        for (kind, codes) in kinds {
            for code in codes { table[code] = kind }
        }
        return table
    }()

    private static let throttled = [
        "BandwidthLimitExceeded", "EC2ThrottledException", "KMSThrottlingException", "LimitExceededException",
        "PriorRequestNotComplete", "ProvisionedThroughputExceededException", "RequestLimitExceeded", "RequestThrottled",
        "RequestThrottledException", "SlowDown", "ThrottledException", "Throttling", "ThrottlingException",
        "TooManyRequestsException", "TransactionInProgressException",
    ]

    private static let transient = [
        "IDPCommunicationError", "InternalError", "InternalErrorException", "InternalFailure",
        "InternalFailureException",
        "InternalServerError", "RequestTimeout", "RequestTimeoutException", "ServiceUnavailable",
        "ServiceUnavailableException",
    ]

    /// Credentials that have expired or that the service does not know; renewed ones may be accepted.
    private static let expiredCredentials = [
        "AuthMissingFailure", "ExpiredToken", "ExpiredTokenException", "InvalidAccessKeyId", "InvalidClientTokenId",
        "InvalidToken", "InvalidTokenException", "MissingAuthenticationToken", "MissingAuthenticationTokenException",
        "TokenRefreshRequired", "UnrecognizedClientException",
    ]

    /// Codes that a wrong clock causes. A wrong secret key causes some of them, too.
    private static let clockSkew = [
        "AuthFailure", "InvalidSignatureException", "RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
    ]

    /// Also problems of the stream rather than of its records: its encryption key or its source.
    private static let denied = [
        "AccessDenied", "AccessDeniedException", "AccessFailure", "IncompleteSignature", "IncompleteSignatureException",
        "InvalidIdentityPoolConfigurationException", "InvalidKMSResourceException", "InvalidSourceException",
        "KMSAccessDeniedException", "KMSDisabledException", "KMSInvalidStateException", "KMSNotFoundException",
        "KMSOptInRequired", "NotAuthorizedException", "OptInRequired", "UnauthorizedOperation",
    ]

    private static let notFound = ["ResourceNotFoundException"]

    /// In addition to `InvalidInputCodes`: codes about the request as a whole. A smaller request may succeed, but the codes
    /// prove nothing about a single record.
    private static let invalidRequest = ["InvalidParameterException", "InvalidParameterValue", "MissingParameter"]
}
