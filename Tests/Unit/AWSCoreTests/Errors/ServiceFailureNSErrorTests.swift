import AWSCore
import Foundation
import RecorderAWS
import RecorderHTTP
import Testing

struct ServiceFailureNSErrorTests {
    private let table = ServiceErrorTable(domain: "com.example.Stream", codes: ["ResourceNotFoundException": 6])

    private func error(_ kind: ServiceFailure.Kind, _ code: String?) -> NSError {
        ServiceFailure(kind, code: code, message: "said the service", requestID: "r-1", status: 400).nsError(table)
    }

    @Test(arguments: [
        ("RequestTimeTooSkewed", AWSServiceErrorType.requestTimeTooSkewed, 1),
        ("InvalidSignatureException", .invalidSignatureException, 2),
        ("SignatureDoesNotMatch", .signatureDoesNotMatch, 3),
        ("RequestExpired", .requestExpired, 4),
        ("AuthFailure", .authFailure, 5),
        ("AccessDeniedException", .accessDeniedException, 6),
        ("UnrecognizedClientException", .unrecognizedClientException, 7),
        ("IncompleteSignature", .incompleteSignature, 8),
        ("InvalidClientTokenId", .invalidClientTokenId, 9),
        ("MissingAuthenticationToken", .missingAuthenticationToken, 10),
        ("AccessDenied", .accessDenied, 11),
        ("ExpiredToken", .expiredToken, 12),
        ("ExpiredTokenException", .expiredToken, 12),
        ("InvalidAccessKeyId", .invalidAccessKeyId, 13),
        ("InvalidToken", .invalidToken, 14),
        ("TokenRefreshRequired", .tokenRefreshRequired, 15),
        ("AccessFailure", .accessFailure, 16),
        ("AuthMissingFailure", .authMissingFailure, 17),
        ("Throttling", .throttling, 18),
        ("ThrottlingException", .throttlingException, 19),
    ])
    func `a code that every service can return has the AWS SDK's number in the general domain`(
        code: String,
        type: AWSServiceErrorType,
        number: Int
    ) {
        let error = error(.other, code)
        #expect(error.domain == "com.amazonaws.AWSServiceErrorDomain")
        #expect(error.code == number)
        #expect(type.rawValue == number)
    }

    @Test func `a service's own code has its number in the service's domain`() {
        let error = error(.notFound, "ResourceNotFoundException")
        #expect(error.domain == "com.example.Stream")
        #expect(error.code == 6)
    }

    @Test(arguments: ["ValidationException", "BrandNewException", nil])
    func `any other error code is unknown in the service's domain`(code: String?) {
        let error = error(.invalidRequest, code)
        #expect(error.domain == "com.example.Stream")
        #expect(error.code == 0)
    }

    @Test(arguments: [
        (HTTPFailure.Kind.invalidURL, NSURLErrorBadURL),
        (.nameNotResolved, NSURLErrorCannotFindHost),
        (.cannotConnect, NSURLErrorCannotConnectToHost),
        (.tls, NSURLErrorSecureConnectionFailed),
        (.certificateUntrusted, NSURLErrorServerCertificateUntrusted),
        (.timedOut, NSURLErrorTimedOut),
        (.connectionLost, NSURLErrorNetworkConnectionLost),
        (.responseTooLarge, NSURLErrorDataLengthExceedsMaximum),
        (.unreadableResponse, NSURLErrorCannotParseResponse),
        (.cancelled, NSURLErrorCancelled),
        (.other, NSURLErrorUnknown),
    ])
    func `a request without a response is an error of the URL domain`(kind: HTTPFailure.Kind, code: Int) {
        let failure = ServiceFailure(.transport(HTTPFailure(kind, "host:443 did not")), message: "no answer")
        let error = failure.nsError(table)
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == code)
        #expect(error.localizedDescription.contains("host:443 did not"))
    }

    @Test(arguments: [
        (ServiceFailure.Kind.cancelled, NSURLErrorCancelled),
        (.unreadable, NSURLErrorCannotParseResponse),
        (.redirect, NSURLErrorBadServerResponse),
    ])
    func `an unusable response is an error of the URL domain`(kind: ServiceFailure.Kind, code: Int) {
        let error = error(kind, nil)
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == code)
    }

    @Test func `the error contains what failed, how to fix it, and what support asks for`() {
        let failure = ServiceFailure(
            .denied,
            code: "AccessDeniedException",
            message: "not authorized to perform kinesis:PutRecords",
            requestID: "r-1",
            status: 400,
            fields: ["__type": "com.amazonaws#AccessDeniedException", "Message": "not authorized"]
        )
        let error = failure.nsError(table)
        #expect(error.localizedDescription.contains("not authorized to perform kinesis:PutRecords"))
        #expect(error.localizedDescription.contains("IAM policy"))
        #expect(error.userInfo["__type"] as? String == "com.amazonaws#AccessDeniedException")
        #expect(error.userInfo["Message"] as? String == "not authorized")
        #expect(error.userInfo[AWSServiceErrorRequestIDKey] as? String == "r-1")
        #expect(error.userInfo[AWSServiceErrorStatusCodeKey] as? Int == 400)
    }

    @Test func `errors about missing keys and settings name what to set`() {
        let keys = ServiceFailure(.credentials(CredentialsFailure("AWS_ACCESS_KEY_ID is not set.")), message: "no keys")
        #expect(keys.nsError(table).domain == AWSServiceErrorDomain)
        #expect(keys.nsError(table).code == AWSServiceErrorType.missingAuthenticationToken.rawValue)
        #expect(keys.nsError(table).localizedDescription == "AWS_ACCESS_KEY_ID is not set.")
        let setting = ServiceFailure(.configuration(ConfigurationFailure("name a region")), message: "no region")
        #expect(setting.nsError(table).localizedDescription == "name a region")
    }

    @Test func `keys that cannot be fetched are the error of the fetch`() {
        let offline = ServiceFailure(.transport(HTTPFailure(.nameNotResolved, "no such host")), message: "no answer")
        let failure = CredentialsFailure("Cognito gave no identity.", underlying: offline)
        let error = ServiceFailure(.credentials(failure), message: "no keys").nsError(table)
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == NSURLErrorCannotFindHost)
        #expect(error.localizedDescription == "Cognito gave no identity.")
        #expect(
            (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.localizedDescription.contains("no such host") == true
        )
    }

    @Test func `a provider's own error is passed on unchanged`() {
        let own = NSError(domain: "mine", code: 7)
        let failure = CredentialsFailure("the provider failed", cause: own)
        #expect(ServiceFailure(.credentials(failure), message: "no keys").nsError(table) === own)
    }
}
