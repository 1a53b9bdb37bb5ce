import RecorderDelivery
import RecorderStore
import Testing

@Suite struct PutAnswerTests {
    private func outcomes(_ body: String, _ service: StreamServiceDescription = .kinesis, records: Int = 1)
        -> [Outcome]?
    {
        if case .outcomes(let outcomes) = PutAnswer(Array(body.utf8), to: service, records: records) {
            outcomes
        } else {
            nil
        }
    }

    @Test func `a sequence number or a record id proves delivery`() {
        #expect(outcomes(#"{"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#) == [.delivered])
        #expect(outcomes(#"{"RequestResponses":[{"RecordId":"r"}]}"#, .firehose) == [.delivered])
    }

    @Test func `the other service's proof proves nothing`() {
        #expect(outcomes(#"{"Records":[{"RecordId":"r"}]}"#) == [.unproven])
        #expect(outcomes(#"{"RequestResponses":[{"SequenceNumber":"1"}]}"#, .firehose) == [.unproven])
    }

    @Test func `an entry without proof and without a code proves nothing, whatever the counter says`() {
        for entry in [
            "{}", "null", #"{"SequenceNumber":""}"#, #"{"SequenceNumber":null}"#, #"{"SequenceNumber":7}"#, "[]",
        ] {
            #expect(outcomes(#"{"FailedRecordCount":0,"Records":[\#(entry)]}"#) == [.unproven], "\(entry)")
        }
    }

    @Test func `a code outweighs a proof`() {
        let body = #"{"Records":[{"SequenceNumber":"1","ErrorCode":"InternalFailure","ErrorMessage":"m"}]}"#
        #expect(outcomes(body) == [.retry(code: "InternalFailure", message: "m")])
    }

    @Test func `an entry is read to its end, after a proof and a shard`() {
        let start = #"{"SequenceNumber":"1","ShardId":"s""#
        #expect(
            outcomes(#"{"Records":[\#(start),"ErrorCode":"InternalFailure"}]}"#) == [
                .retry(code: "InternalFailure", message: "")
            ]
        )
        #expect(outcomes(#"{"Records":[\#(start),"ErrorCode":null}]}"#) == [.delivered])
        #expect(outcomes(#"{"Records":[\#(start),"ErrorCode":7}]}"#) == [.unproven])
        #expect(outcomes(#"{"Records":[\#(start)"}]}"#) == nil)
    }

    @Test func `a code for an invalid record rejects it, and any other code is retried`() {
        for code in ["InvalidArgumentException", "ValidationException", "RecordTooLarge", "MalformedData"] {
            #expect(outcomes(#"{"Records":[{"ErrorCode":"\#(code)"}]}"#) == [.rejected(code: code, message: "")])
        }
        for code in ["ProvisionedThroughputExceededException", "ServiceUnavailableException", "NeverHeardOf"] {
            #expect(outcomes(#"{"Records":[{"ErrorCode":"\#(code)"}]}"#) == [.retry(code: code, message: "")])
        }
    }

    @Test func `an answer with a wrong number of entries, or an unreadable one, proves nothing`() {
        for body in [
            "", "{", "[]", "null", "{}", #"{"Records":{}}"#, #"{"Records":[]}"#,
            #"{"Records":[{"SequenceNumber":"1"},{"SequenceNumber":"2"}]}"#, "<html>",
        ] {
            #expect(outcomes(body) == nil, "\(body)")
        }
    }
}
