import AWSTasks
package import Foundation
package import RecorderAWS
package import RecorderHTTP

/// A service's own errors: their domain, and the number of each error code.
package struct ServiceErrorTable: Sendable {
    /// The domain of errors that are not in the general table.
    package let domain: String

    /// The numbers by the service's error code, such as `ResourceNotFoundException`; other codes become 0.
    package let codes: [String: Int]

    /// A table.
    package init(domain: String, codes: [String: Int]) {
        self.domain = domain
        self.codes = codes
    }

    /// The table of services without an error domain of their own.
    package static let general = ServiceErrorTable(domain: AWSServiceErrorDomain, codes: [:])
}

// Every failure becomes the `NSError` that users of the AWS SDK know. Its description is this package's: what failed, then
// how to fix it.

extension ServiceFailure {
    /// The public error. `table` contains the service's own codes.
    package func nsError(_ table: ServiceErrorTable) -> NSError {
        switch kind {
        case .transport(let failure): failure.nsError
        case .credentials(let failure): failure.nsError()
        case .configuration(let failure): failure.nsError
        case .cancelled: urlError(NSURLErrorCancelled)
        case .unreadable: urlError(NSURLErrorCannotParseResponse)
        case .redirect: urlError(NSURLErrorBadServerResponse)
        case .throttled, .transient, .expiredCredentials, .denied, .clockSkew, .notFound, .invalidRequest, .other:
            serviceError(table)
        }
    }

    /// The general table is searched first, as in the AWS SDK. Unlike there, an unknown code is in the service's domain.
    private func serviceError(_ table: ServiceErrorTable) -> NSError {
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
        // Services use the same code for a wrong secret and a wrong time; only the message differs.
        case .clockSkew: "Check this machine's clock and the secret key."
        case .notFound: "Check the name and the region."
        case .throttled: "Send less at a time or give the stream more capacity."
        case .transient: "Try again later."
        case .transport, .credentials, .configuration, .cancelled, .unreadable, .redirect, .invalidRequest, .other: nil
        }
    }
}

extension HTTPFailure {
    /// The public error, with the code that `URLSession` uses.
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
        case .clientCertificate: NSURLErrorClientCertificateRejected
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
    /// The public error: the provider's own if there is one, otherwise that of the call that failed.
    ///
    /// `table` contains the codes of the service that provides the credentials.
    package func nsError(_ table: ServiceErrorTable = .general) -> NSError {
        // As a task does, so that the caller who awaits one gets the error itself.
        if let cause { return AWSTask<AnyObject>(error: cause).error as NSError? ?? cause as NSError }
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
    /// The public error.
    package var nsError: NSError {
        AWSServiceErrorType.unknown.error([NSLocalizedDescriptionKey: message])
    }
}

extension AWSServiceErrorType {
    /// The type for a service's error code, or nil if it is not one that every service can return.
    init?(wireCode: String) {
        guard let type = Self.wireCodes[wireCode] else { return nil }
        self = type
    }

    fileprivate func error(_ userInfo: [String: Any]) -> NSError {
        NSError(domain: AWSServiceErrorDomain, code: rawValue, userInfo: userInfo)
    }

    /// The AWS SDK's table, followed by the codes that services send today.
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
