import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite struct ServiceFailureTests {
    typealias Kind = ServiceFailure.Kind

    @Test(arguments: [
        ("ProvisionedThroughputExceededException", Kind.throttled), ("ThrottlingException", .throttled),
        ("LimitExceededException", .throttled), ("KMSThrottlingException", .throttled), ("SlowDown", .throttled),
        ("ThrottlingNewKind", .throttled), ("RequestLimitExceeded", .throttled),
        ("TooManyRequestsException", .throttled),
        ("InternalFailure", .transient), ("InternalFailureException", .transient), ("ServiceUnavailable", .transient),
        ("ServiceUnavailableException", .transient),
        ("RequestTimeoutException", .transient),
        ("ExpiredToken", .expiredCredentials), ("ExpiredTokenException", .expiredCredentials),
        ("InvalidClientTokenId", .expiredCredentials), ("UnrecognizedClientException", .expiredCredentials),
        ("MissingAuthenticationToken", .expiredCredentials), ("InvalidToken", .expiredCredentials),
        ("AuthFailure", .clockSkew), ("InvalidSignatureException", .clockSkew), ("RequestExpired", .clockSkew),
        ("RequestInTheFuture", .clockSkew), ("RequestTimeTooSkewed", .clockSkew), ("SignatureDoesNotMatch", .clockSkew),
        ("AccessDeniedException", .denied), ("KMSAccessDeniedException", .denied), ("KMSDisabledException", .denied),
        ("KMSInvalidStateException", .denied), ("KMSNotFoundException", .denied), ("KMSOptInRequired", .denied),
        ("InvalidKMSResourceException", .denied), ("InvalidSourceException", .denied), ("OptInRequired", .denied),
        ("ResourceNotFoundException", .notFound),
        ("ValidationException", .invalidRequest), ("InvalidArgumentException", .invalidRequest),
        ("SerializationException", .invalidRequest), ("UnknownOperationException", .other), ("NeverHeardOf", .other),
    ])
    func `a code decides the kind, whatever the status`(code: String, kind: Kind) throws {
        let prefixed = try failure(400, #"{"__type":"com.amazonaws.kinesis#\#(code)","message":"m"}"#)
        #expect(prefixed.kind == kind)
        #expect(prefixed.code == code)
        #expect(prefixed.message == "m")
        #expect(prefixed.fields["__type"] == "com.amazonaws.kinesis#\(code)")
        #expect(try failure(418, #"{"__type":"\#(code)","Message":"M"}"#).message == "M")
    }

    @Test(arguments: [
        (500, Kind.transient), (502, .transient), (503, .transient), (504, .transient), (599, .transient),
        (408, .transient), (429, .throttled), (403, .denied), (401, .denied), (404, .notFound), (413, .invalidRequest),
        (400, .other), (301, .redirect), (307, .redirect), (304, .redirect),
    ])
    func `without a code the status decides`(status: Int, kind: Kind) throws {
        #expect(try failure(status, "").kind == kind)
        #expect(try failure(status, "<html><body><h1>Oops</h1>\n<p>It broke</p></body></html>").kind == kind)
    }

    @Test func `a status of success is not a failure`() {
        #expect(ServiceFailure(HTTPResponse(status: 200)) == nil)
        #expect(ServiceFailure(HTTPResponse(status: 204)) == nil)
    }

    @Test func `a header has the code if the body has none`() throws {
        let header = HTTPHeader("x-amzn-errortype", "ResourceNotFoundException:http://internal.amazon.com/coral/")
        let failure = try failure(400, "{}", [header, HTTPHeader("X-Amzn-RequestId", "id-1")])
        #expect(failure.code == "ResourceNotFoundException")
        #expect(failure.kind == .notFound)
        #expect(failure.requestID == "id-1")
    }

    @Test func `the XML form is read, too`() throws {
        let xml =
            "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message></Error></ErrorResponse>"
        let failure = try failure(403, xml)
        #expect(failure.kind == .clockSkew)
        #expect(failure.message == "No.")
    }

    @Test(arguments: [false, true], ["message", "Message"])
    func `the CBOR form is read, with or without lengths`(indefinite: Bool, key: String) {
        let document: [String: Any] = [
            "__type": "com.amazonaws.kinesis#ResourceNotFoundException", key: "Stream ü", "x": [1, ["y": 2]],
        ]
        let body = CBORTree.document(document, indefinite: indefinite)
        let failure = ServiceFailure(HTTPResponse(status: 400, body: body))
        #expect(failure?.kind == .notFound && failure?.code == "ResourceNotFoundException")
        #expect(failure?.message == "Stream ü" && failure?.isJSON == false)
        #expect(failure?.fields["__type"] == "com.amazonaws.kinesis#ResourceNotFoundException")
        for end in 1..<body.count {
            let cut = ServiceFailure(HTTPResponse(status: 500, body: Array(body[..<end])))
            #expect(cut?.message == "The service answered with status 500 and no message.")
            #expect(cut?.code == nil)
        }
    }

    @Test func `a secret is redacted from an error in CBOR`() {
        let secret = "a secret of 20 bytes"
        let body = CBORTree.document(["__type": "InvalidSignatureException", "message": "not \(secret)"])
        let failure = ServiceFailure(HTTPResponse(status: 403, body: body), redacting: [secret])
        #expect(failure?.message == "not (redacted)")
    }

    @Test func `a page is reduced to its text`() throws {
        let failure = try failure(502, "<html><head><title>502</title></head>\r\n<body>Bad\tgateway</body></html>")
        #expect(failure.message == "502 Bad gateway")
        #expect(failure.code == nil)
    }

    @Test func `a secret is redacted whatever follows it`() throws {
        let secret = "canaryToken//0123456789+ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let json = "{\"message\":\"\(secret)\u{301} and \(secret)\"}"
        let response = HTTPResponse(status: 400, body: Array(json.utf8))
        let failure = try #require(ServiceFailure(response, redacting: [secret]))
        #expect(failure.message == "(redacted)\u{301} and (redacted)")
    }

    @Test func `a secret is redacted wherever a long page is cut`() throws {
        let secret = "canaryToken//0123456789+ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        // The page is mostly one tag, because the text of a page is cut only after 4096 characters with tags.
        for length in [4_000, 4_045, 4_060, 4_080, 4_095] {
            let page = "<p \(String(repeating: "x", count: length - 4))>" + secret + "</p>"
            let response = HTTPResponse(status: 502, body: Array(page.utf8))
            let failure = try #require(ServiceFailure(response, redacting: [secret]))
            #expect("(redacted)".hasPrefix(failure.message), "\(length)")
        }
    }

    @Test func `a message is one visible line of at most 512 bytes`() throws {
        let forged = try failure(400, #"{"__type":"X","message":"a\n\u001b[31mforged\u2028line \u202egnp"}"#)
        #expect(forged.message == #"a\u{a}\u{1b}[31mforged\u{2028}line \u{202e}gnp"#)
        let long = try failure(400, #"{"__type":"X","message":"\#(String(repeating: "é", count: 4000))"}"#)
        #expect(long.message.utf8.count == 512)
    }

    @Test func `malformed error bodies are still errors`() throws {
        let deep = String(repeating: "[", count: 200_000)
        let bodies = [
            "[]", "null", "{\"__type\":7,\"message\":{}}", "{\"__type\":\"\"}", "\u{0}\u{1}", "{\"__type\":", deep,
        ]
        for body in bodies {
            let failure = try failure(500, body)
            #expect(failure.kind == .transient)
            #expect(!failure.message.isEmpty)
            #expect(failure.message.utf8.count <= 512)
        }
    }

    @Test func `the service's time and the delay that it asks for are read`() throws {
        let headers = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT"), HTTPHeader("x-amz-retry-after", "1500")]
        let failure = try failure(503, "", headers)
        #expect(failure.serverDate == Date(timeIntervalSince1970: 1_440_938_160))
        #expect(failure.retryAfter == .milliseconds(1500))
        let strange = [HTTPHeader("Date", "yesterday"), HTTPHeader("x-amz-retry-after", "-1e400")]
        #expect(try self.failure(503, "", strange).serverDate == nil)
        #expect(try self.failure(503, "", strange).retryAfter == nil)
    }

    private func failure(_ status: Int, _ body: String, _ headers: [HTTPHeader] = []) throws -> ServiceFailure {
        try #require(ServiceFailure(HTTPResponse(status: status, headers: headers, body: Array(body.utf8))))
    }
}
