/// What the error codes of AWS mean for the caller: a table, and the status where the code says nothing.
enum FailureKinds {
    /// The kind for an error answer.
    static func kind(code: String?, status: Int) -> ServiceFailure.Kind {
        code.flatMap(kind(code:)) ?? kind(status: status)
    }

    /// The kind for the code of one record in an answer that took others: throttled, or else of a kind that passes.
    ///
    /// Firehose calls itself unavailable where a stream takes no more for now.
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
        "IDPCommunicationError", "InternalError", "InternalErrorException", "InternalFailure", "InternalServerError",
        "RequestTimeout", "RequestTimeoutException", "ServiceUnavailable", "ServiceUnavailableException",
    ]

    /// Keys that ended or that the service does not know: new ones may be better.
    private static let expiredCredentials = [
        "AuthMissingFailure", "ExpiredToken", "ExpiredTokenException", "InvalidAccessKeyId", "InvalidClientTokenId",
        "InvalidToken", "InvalidTokenException", "MissingAuthenticationToken", "MissingAuthenticationTokenException",
        "TokenRefreshRequired", "UnrecognizedClientException",
    ]

    /// Refusals that a wrong clock causes; a wrong secret causes some of them too.
    private static let clockSkew = [
        "AuthFailure", "InvalidSignatureException", "RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
    ]

    /// Also what lies with the stream rather than with the records: its key, or where it is fed from.
    private static let denied = [
        "AccessDenied", "AccessDeniedException", "AccessFailure", "IncompleteSignature", "IncompleteSignatureException",
        "InvalidIdentityPoolConfigurationException", "InvalidKMSResourceException", "InvalidSourceException",
        "KMSAccessDeniedException", "KMSDisabledException", "KMSInvalidStateException", "KMSNotFoundException",
        "KMSOptInRequired", "NotAuthorizedException", "OptInRequired", "UnauthorizedOperation",
    ]

    private static let notFound = ["ResourceNotFoundException"]

    /// Besides `InvalidInputCodes`: about the request as a whole. A part of it may fare better, but no record is to blame.
    private static let invalidRequest = ["InvalidParameterException", "InvalidParameterValue", "MissingParameter"]
}
