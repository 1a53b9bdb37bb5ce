package import Foundation
package import RecorderAWS
package import RecorderHTTP

/// A service's own errors: their domain, and the number of each code that it sends.
package struct ServiceErrorTable: Sendable {
    /// The domain of what the general table does not hold.
    package let domain: String

    /// The numbers, by the code on the wire, such as `ResourceNotFoundException`; other codes become 0.
    package let codes: [String: Int]

    /// A table.
    package init(domain: String, codes: [String: Int]) {
        self.domain = domain
        self.codes = codes
    }

    /// For calls to services whose errors have no domain of their own here.
    package static let general = ServiceErrorTable(domain: AWSServiceErrorDomain, codes: [:])
}

// Every failure becomes the `NSError` that users of the original know. What it says is ours: what failed, then how to
// mend it.

extension ServiceFailure {
    /// The error for users, where a service's own codes are in `table`.
    package func nsError(_ table: ServiceErrorTable) -> NSError {
        switch kind {
        case .transport(let failure): failure.nsError
        case .credentials(let failure): failure.nsError()
        case .configuration(let failure): failure.nsError
        case .cancelled: urlError(NSURLErrorCancelled)
        case .unreadable: urlError(NSURLErrorCannotParseResponse)
        case .redirect: urlError(NSURLErrorBadServerResponse)
        case .throttled, .transient, .expiredCredentials, .denied, .clockSkew, .notFound, .invalidRequest, .other:
            answer(table)
        }
    }

    /// The general table comes first, as in the original; a code in neither is the service's, unlike there.
    private func answer(_ table: ServiceErrorTable) -> NSError {
        if let code, let type = AWSServiceErrorType(wireCode: code) {
            return NSError(domain: AWSServiceErrorDomain, code: type.rawValue, userInfo: userInfo)
        }
        return NSError(domain: table.domain, code: code.flatMap { table.codes[$0] } ?? 0, userInfo: userInfo)
    }

    private func urlError(_ code: Int) -> NSError {
        NSError(domain: NSURLErrorDomain, code: code, userInfo: userInfo)
    }

    private var userInfo: [String: Any] {
        var userInfo: [String: Any] = fields
        userInfo[NSLocalizedDescriptionKey] = [description, remedy].compactMap { $0 }.joined(separator: " ")
        userInfo[AWSServiceErrorStatusCodeKey] = status.map { NSNumber(value: $0) }
        userInfo[AWSServiceErrorRequestIDKey] = requestID
        return userInfo
    }

    fileprivate var remedy: String? {
        switch kind {
        case .denied: "Allow this action in the IAM policy of these credentials."
        case .expiredCredentials: "Check the credentials or renew them."
        // Services tell a wrong secret and a wrong time by one code, and only by their words apart.
        case .clockSkew: "Check this machine's clock and the secret key."
        case .notFound: "Check the name and the region."
        case .throttled: "Send less at a time or give the stream more capacity."
        case .transient: "Try again later."
        case .transport, .credentials, .configuration, .cancelled, .unreadable, .redirect, .invalidRequest, .other: nil
        }
    }
}

extension HTTPFailure {
    /// The error for users, as `URLSession` would have it.
    package var nsError: NSError {
        NSError(domain: NSURLErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: detail])
    }

    private var code: Int {
        switch kind {
        case .invalidURL: NSURLErrorBadURL
        case .nameNotResolved: NSURLErrorCannotFindHost
        case .cannotConnect: NSURLErrorCannotConnectToHost
        case .tls: NSURLErrorSecureConnectionFailed
        case .certificateUntrusted: NSURLErrorServerCertificateUntrusted
        case .timedOut: NSURLErrorTimedOut
        case .connectionLost: NSURLErrorNetworkConnectionLost
        case .responseTooLarge: NSURLErrorDataLengthExceedsMaximum
        case .unreadableResponse: NSURLErrorCannotParseResponse
        case .cancelled: NSURLErrorCancelled
        case .other: NSURLErrorUnknown
        }
    }
}

extension CredentialsFailure {
    /// The error for users: the provider's own where there is one, else that of the call that failed.
    ///
    /// `table` holds the codes of the service that gives the credentials.
    package func nsError(_ table: ServiceErrorTable = .general) -> NSError {
        if let cause { return cause }
        let text = [message, underlying?.remedy].compactMap { $0 }.joined(separator: " ")
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: text]
        if let underlying = underlying?.nsError(table) {
            userInfo[NSUnderlyingErrorKey] = underlying
            userInfo.merge(underlying.userInfo) { ours, _ in ours }
            return NSError(domain: underlying.domain, code: underlying.code, userInfo: userInfo)
        }
        guard kind != .cancelled else {
            return NSError(domain: NSURLErrorDomain, code: NSURLErrorCancelled, userInfo: userInfo)
        }
        return AWSServiceErrorType.missingAuthenticationToken.error(userInfo)
    }
}

extension ConfigurationFailure {
    /// The error for users.
    package var nsError: NSError {
        AWSServiceErrorType.unknown.error([NSLocalizedDescriptionKey: message])
    }
}

extension AWSServiceErrorType {
    /// The type for a code on the wire, or nil if it is not one that every service can answer with.
    init?(wireCode: String) {
        guard let type = Self.wireCodes[wireCode] else { return nil }
        self = type
    }

    fileprivate func error(_ userInfo: [String: Any]) -> NSError {
        NSError(domain: AWSServiceErrorDomain, code: rawValue, userInfo: userInfo)
    }

    /// The original's table, and below it the forms that today's services send.
    private static let wireCodes: [String: AWSServiceErrorType] = [
        "RequestTimeTooSkewed": .requestTimeTooSkewed,
        "InvalidSignatureException": .invalidSignatureException,
        "SignatureDoesNotMatch": .signatureDoesNotMatch,
        "RequestExpired": .requestExpired,
        "AuthFailure": .authFailure,
        "AccessDeniedException": .accessDeniedException,
        "UnrecognizedClientException": .unrecognizedClientException,
        "IncompleteSignature": .incompleteSignature,
        "InvalidClientTokenId": .invalidClientTokenId,
        "MissingAuthenticationToken": .missingAuthenticationToken,
        "AccessDenied": .accessDenied,
        "ExpiredToken": .expiredToken,
        "InvalidAccessKeyId": .invalidAccessKeyId,
        "InvalidToken": .invalidToken,
        "TokenRefreshRequired": .tokenRefreshRequired,
        "AccessFailure": .accessFailure,
        "AuthMissingFailure": .authMissingFailure,
        "Throttling": .throttling,
        "ThrottlingException": .throttlingException,

        "ExpiredTokenException": .expiredToken,
        "IncompleteSignatureException": .incompleteSignature,
        "MissingAuthenticationTokenException": .missingAuthenticationToken,
    ]
}
