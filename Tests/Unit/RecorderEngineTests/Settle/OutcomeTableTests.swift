import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// The table of outcomes over real sockets: which records are kept, retried or deleted, and what the error says.
@Suite(.timeLimit(.minutes(10))) struct OutcomeTableTests {
    @Test(arguments: OutcomeRow.perRecord)
    func `each entry of an answer decides about its own record only`(row: OutcomeRow) async throws {
        try await row.verify()
    }

    @Test(arguments: OutcomeRow.transient)
    func `a transient failure is retried a few times, and everything is kept`(row: OutcomeRow) async throws {
        try await row.verify()
    }

    @Test(arguments: OutcomeRow.final)
    func `a permanent refusal takes one request, and everything is kept`(
        row: OutcomeRow
    ) async throws {
        try await row.verify()
    }

    @Test(arguments: OutcomeRow.unreadable)
    func `an unreadable answer proves nothing: three requests, and everything is kept`(
        row: OutcomeRow
    ) async throws {
        try await row.verify()
    }

    @Test(arguments: (OutcomeRow.transient + OutcomeRow.final + OutcomeRow.unreadable).sharingEntries)
    func `what fails for a request keeps all records that share an entry of it, as it keeps others`(
        row: OutcomeRow
    ) async throws {
        try await row.verify()
    }
}

private let services = [StreamServiceDescription.kinesis, .firehose]
private let throttlingDelays = [Duration.seconds(1), .seconds(2), .seconds(4)]
private let transientDelays = [Duration.milliseconds(50), .milliseconds(100), .milliseconds(200)]

extension OutcomeRow {
    // MARK: an entry for each record

    static let perRecord = services.flatMap { partial($0) + always($0) + proofs($0) }.inEachFormat

    private static let throttlingCodes = [
        "kinesis": ["ProvisionedThroughputExceededException", "ThrottlingException", "KMSThrottlingException"],
        "firehose": [
            "ServiceUnavailableException", "ServiceUnavailable", "ThrottlingException", "LimitExceededException",
        ],
    ]

    private static func partial(_ service: StreamServiceDescription) -> [OutcomeRow] {
        throttlingCodes[service.name, default: []].map { code in
            OutcomeRow(
                name: "\(code) for some, once",
                service: service,
                records: 9,
                answer: { call in
                    call.accepts { call.index == 0 && (Int($0) ?? 0) % 3 == 1 ? PutCall.failed(code) : nil }
                },
                requests: 2,
                delays: [.seconds(1)]
            )
        } + [
            OutcomeRow(
                name: "some fail each time, fewer and fewer",
                service: service,
                records: 4,
                answer: { call in
                    call.accepts { (Int($0) ?? 0) > call.index ? PutCall.failed("ThrottlingException") : nil }
                },
                requests: 4,
                // Each is the first retry of what is left.
                delays: Array(repeating: .seconds(1), count: 3)
            ),
            OutcomeRow(
                name: "one of each",
                service: service,
                records: 5,
                answer: { call in
                    call.accepts {
                        switch $0 {
                        case "1": PutCall.failed("ThrottlingException")
                        case "2": PutCall.failed("InvalidArgumentException")
                        case "3": "{}"
                        default: nil
                        }
                    }
                },
                requests: 4,
                kept: ["1", "3"],
                deleted: ["InvalidArgumentException"],
                cause: .service(.unreadable),
                says: "kept",
                delays: throttlingDelays
            ),
        ]
    }

    private static func always(_ service: StreamServiceDescription) -> [OutcomeRow] {
        throttlingCodes[service.name, default: []].map { code in
            OutcomeRow(
                name: "\(code) for all, always",
                service: service,
                answer: { call in call.accepts { _ in PutCall.failed(code) } },
                requests: 4,
                kept: nil,
                cause: .service(.throttled),
                says: code,
                delays: throttlingDelays
            )
        }
            + ["InternalFailure", "UnknownCodeException"].map { code in
                OutcomeRow(
                    name: "\(code) for all, always",
                    service: service,
                    answer: { call in call.accepts { _ in #"{"ErrorCode":"\#(code)"}"# } },
                    requests: 4,
                    kept: nil,
                    cause: .service(.transient),
                    says: code,
                    delays: transientDelays
                )
            }
    }

    private static func proofs(_ service: StreamServiceDescription) -> [OutcomeRow] {
        let other = service.proofField == "RecordId" ? "SequenceNumber" : "RecordId"
        let proofless = [
            "{}", "null", "[]", "7", #""49""#, #"{"\#(service.proofField)":""}"#, #"{"\#(service.proofField)":49}"#,
            #"{"\#(service.proofField)":null}"#, #"{"\#(other)":"49"}"#, #"{"ErrorCode":""}"#, #"{"ShardId":"shard"}"#,
            #"{"\#(service.proofField)":"49","ErrorCode":7}"#, #"{"\#(service.proofField)":"49","ErrorCode":{}}"#,
        ]
        return proofless.map { entry in
            OutcomeRow(
                name: "\(entry) proves nothing",
                service: service,
                answer: { call in call.accepts { $0 == "1" ? entry : nil } },
                kept: ["1"],
                cause: .service(.unreadable),
                says: "kept"
            )
        }
            + codes(service) + [
                OutcomeRow(
                    name: "a code with a proof",
                    service: service,
                    answer: { call in
                        call.accepts { text in
                            guard call.index == 0, text == "1" else { return nil }
                            return #"{"\#(service.proofField)":"49","ErrorCode":"InternalFailure"}"#
                        }
                    },
                    requests: 2,
                    delays: [.milliseconds(50)]
                ),
                OutcomeRow(
                    name: "a null code with a proof",
                    service: service,
                    answer: { call in call.accepts { _ in #"{"\#(service.proofField)":"49","ErrorCode":null}"# } }
                ),
            ]
    }

    /// Codes for an invalid record, and similar codes that are not: those are about the sender, the stream's key, or
    /// unknown.
    private static func codes(_ service: StreamServiceDescription) -> [OutcomeRow] {
        let invalid = [
            "InvalidArgument", "InvalidArgumentException", "InvalidDataException", "InvalidRecordException",
            "ValidationError", "ValidationException", "SerializationException", "MalformedData", "RecordTooLarge",
            "RequestEntityTooLargeException",
        ]
        let others = [
            "InvalidKMSResourceException", "InvalidSignatureException", "InvalidToken", "InvalidTokenException",
            "InvalidAccessKeyId", "InvalidClientTokenId", "InvalidSourceException", "InvalidNewThingException",
            "InvalidParameterValue", "InvalidArgumentKMSKeyException", "InvalidDataKeyException",
            "InvalidRecordAccessException", "MalformedPolicyDocument", "MalformedSecurityToken",
            "MalformedSignatureException", "ValidationTokenException", "ValidationDenied",
            "SerializationCredentialsException", "PolicySizeTooLarge", "TokenTooLargeException", "Malformed data",
            "validationexception", "TooBig",
        ]
        return invalid.map { code in
            OutcomeRow(
                name: "\(code) is deleted",
                service: service,
                answer: { call in call.accepts { $0 == "1" ? PutCall.failed(code) : nil } },
                deleted: [code]
            )
        }
            + others.map { code in
                OutcomeRow(
                    name: "\(code) is kept",
                    service: service,
                    answer: { call in call.accepts { $0 == "1" ? PutCall.failed(code) : nil } },
                    requests: 4,
                    kept: ["1"],
                    cause: .service(.transient),
                    says: code,
                    delays: transientDelays
                )
            }
    }

    // MARK: the whole request fails, perhaps temporarily

    static let transient = services.flatMap { service in
        throttledWhole(service) + serverErrors(service) + lostAnswers(service)
    }.inEachFormat

    private static func throttledWhole(_ service: StreamServiceDescription) -> [OutcomeRow] {
        let replies: [(String, Reply)] = [
            "ProvisionedThroughputExceededException", "ThrottlingException", "ThrottledException", "Throttling",
            "LimitExceededException", "KMSThrottlingException", "TooManyRequestsException",
        ].map { ($0, .error(400, $0)) }
        return (replies + [("429", .html(429, "<p>Slow down</p>"))]).map { says, reply in
            OutcomeRow(
                name: "\(says) for the request",
                service: service,
                answer: { _ in reply },
                requests: 4,
                kept: nil,
                cause: .service(.throttled),
                says: says,
                delays: throttlingDelays
            )
        }
    }

    private static func serverErrors(_ service: StreamServiceDescription) -> [OutcomeRow] {
        let replies: [(String, Reply)] = [
            ("InternalFailure", .error(500, "InternalFailure")),
            ("ServiceUnavailableException", .error(503, "ServiceUnavailableException")),
            ("Oops, try later", .html(500, "<html><h1>Oops,</h1> <p>try later</p></html>")),
            ("HTTP 502", .html(502, "")), ("HTTP 504", .json(504, "{}")), ("HTTP 408", .json(408, "")),
        ]
        return replies.map { says, reply in
            OutcomeRow(
                name: "500 and the like: \(says)",
                service: service,
                answer: { _ in reply },
                requests: 4,
                kept: nil,
                cause: .service(.transient),
                says: says,
                delays: transientDelays
            )
        } + [
            OutcomeRow(
                name: "503, then fine",
                service: service,
                answer: { $0.index == 0 ? .html(503, "<p>busy</p>") : $0.accepts() },
                requests: 2,
                delays: [.milliseconds(50)]
            )
        ]
    }

    private static func lostAnswers(_ service: StreamServiceDescription) -> [OutcomeRow] {
        let replies: [(String, @Sendable (PutCall) -> Reply)] = [
            ("reset instead of an answer", { _ in .reset }),
            ("closed without an answer", { _ in .dropConnection }),
            (
                "cut off in the middle of an answer",
                { .truncated(status: 200, body: Array($0.body($0.texts.map { _ in "{}" }).utf8), after: 40) }
            ),
        ]
        return replies.map { name, reply in
            OutcomeRow(
                name: name,
                service: service,
                answer: reply,
                requests: 3,
                kept: nil,
                cause: .transport(.connectionLost),
                says: "127.0.0.1",
                delays: Array(transientDelays.prefix(2))
            )
        } + [
            OutcomeRow(
                name: "reset, then fine",
                service: service,
                answer: { $0.index == 0 ? .reset : $0.accepts() },
                requests: 2,
                delays: [.milliseconds(50)]
            )
        ]
    }

    // MARK: the whole request fails permanently

    static let final = services.flatMap { denied($0) }.inEachFormat

    private static func denied(_ service: StreamServiceDescription) -> [OutcomeRow] {
        let kms = [
            "KMSAccessDeniedException", "KMSDisabledException", "KMSInvalidStateException", "KMSNotFoundException",
            "KMSOptInRequired", "InvalidKMSResourceException", "InvalidSourceException",
        ]
        let replies: [(String, ServiceFailure.Kind, Reply)] =
            (["AccessDeniedException", "IncompleteSignature", "OptInRequired"] + kms).map {
                ($0, .denied, .error(400, $0))
            }
            + ["UnrecognizedClientException", "InvalidClientTokenId", "ExpiredTokenException"].map {
                ($0, .expiredCredentials, .error(400, $0))
            }
            + ["InvalidSignatureException", "SignatureDoesNotMatch"].map { ($0, .clockSkew, .error(403, $0)) }
            + [
                ("ResourceNotFoundException", .notFound, .error(400, "ResourceNotFoundException")),
                ("no such page", .notFound, .html(404, "<p>no such page</p>")),
                ("Forbidden by proxy", .denied, .html(403, "<p>Forbidden by proxy</p>")),
                ("HTTP 407", .denied, .html(407, "")),
                ("UnknownCodeException", .other, .error(400, "UnknownCodeException")),
                ("HTTP 400", .other, .json(400, "{}")),
            ]
        return replies.map { says, kind, reply in
            OutcomeRow(
                name: says,
                service: service,
                answer: { _ in reply },
                kept: nil,
                cause: .service(kind),
                says: says
            )
        }
    }

    // MARK: a 200 that cannot be read

    static let unreadable = services.flatMap { service in
        let bodies: [(String, String, @Sendable (PutCall) -> String)] = [
            ("an empty 200", "0 bytes", { _ in "" }),
            ("a captive portal's page", "JSON", { _ in "<html>Welcome to the hotel</html>" }),
            ("JSON that breaks off", "JSON", { String($0.body($0.texts.map { _ in "{}" }).dropLast(4)) }),
            ("JSON of another kind", "JSON", { call in "[\(call.proof),\(call.proof),\(call.proof)]" }),
            ("no entries", service.entriesField, { _ in #"{"FailedRecordCount":0,"FailedPutCount":0}"# }),
            ("entries that are no list", service.entriesField, { _ in #"{"\#(service.entriesField)":{}}"# }),
            ("one entry fewer", "2 of 3", { call in call.body([call.proof, call.proof]) }),
            ("one entry more", "4 of 3", { call in call.body(Array(repeating: call.proof, count: 4)) }),
            ("no entry at all", "0 of 3", { call in call.body([]) }),
            ("200,000 brackets", "JSON", { _ in String(repeating: "[", count: 200_000) }),
        ]
        return bodies.map { name, says, body in
            OutcomeRow(
                name: name,
                service: service,
                answer: { .json(200, body($0)) },
                requests: 3,
                kept: nil,
                cause: .transport(.unreadableResponse),
                says: says,
                delays: Array(transientDelays.prefix(2))
            )
        }
    }
}
