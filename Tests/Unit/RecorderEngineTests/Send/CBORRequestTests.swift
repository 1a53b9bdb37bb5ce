import Foundation
import RecorderAWS
import RecorderDelivery
import RecorderStore
import RecorderTestSupport
import Testing

/// Requests in CBOR, read by cbor2 and by `CBORTree`, and answers that cbor2 wrote.
@Suite(.timeLimit(.minutes(5))) struct CBORRequestTests {
    private struct Checked: Decodable {
        struct Bytes: Decodable { let bytes: Data }
        struct Entry: Decodable {
            let Data: Bytes
            let PartitionKey: String
        }
        struct Request: Decodable {
            let StreamName: String
            let Records: [Entry]
        }
        let decoded: [Request]
        let encoded: [Data]
    }

    /// What cbor2 makes of request bodies, and of answers in JSON.
    private func check(decode: [[UInt8]], encode: [String] = []) async throws -> Checked {
        let bodies = decode.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let job = #"{"decode":[\#(bodies)],"encode":[\#(encode.joined(separator: ","))]}"#
        return try JSONDecoder().decode(
            Checked.self,
            from: try await LocalPython.run("check_cbor.py", input: Data(job.utf8))
        )
    }

    private static let payloads: [(data: Data, key: String)] = [
        (Data(), "empty"), (Data((0...255).map { UInt8($0) }), "ключ \"🦆\" \\"), (Data("text".utf8), "k"),
        (Data(repeating: 0xFF, count: 23), String(repeating: "x", count: 23)),
        (Data(repeating: 0, count: 24), String(repeating: "x", count: 24)), (Data(count: 255), "255"),
        (Data(count: 256), String(repeating: "🦆", count: 256)), (Data(count: 65_535), "65535"),
        (Data(count: 65_536), "65536"), (Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }), "1 MiB"),
    ]

    @Test func `every record's bytes and partition key arrive unchanged, without base64`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) {
            $0.requestFormat = .cbor
            $0.maximumRecordBytes = 1 << 20
            $0.batchByteLimit = 4 << 20
        }
        for (data, key) in Self.payloads { try await harness.save(data, key: key) }
        #expect(try await harness.flush().delivered == Self.payloads.count)
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.header("Content-Type") == "application/x-amz-cbor-1.1")
        #expect(request.header("X-Amz-Target") == "Kinesis_20131202.PutRecords")
        let body = PutRequestBody(request.body)
        #expect(body.stream == "stream")
        #expect(body.records.map(\.data) == Self.payloads.map(\.data))
        #expect(body.records.map(\.partitionKey) == Self.payloads.map(\.key))
        let checked = try #require(try await check(decode: [request.body]).decoded.first)
        #expect(checked.StreamName == "stream")
        #expect(checked.Records.map(\.Data.bytes) == Self.payloads.map(\.data))
        #expect(checked.Records.map(\.PartitionKey) == Self.payloads.map(\.key))
        let size = Self.payloads.reduce(0) { $0 + $1.data.count + $1.key.utf8.count }
        #expect(request.body.count < size + 30 * Self.payloads.count + 100)
    }

    @Test func `a full request of 500 records is one list of that length`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.requestFormat = .cbor }
        let texts = (0..<501).map(String.init)
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 501)
        let checked = try await check(decode: server.requests.map(\.body)).decoded
        #expect(checked.map(\.Records.count) == [500, 1])
        #expect(checked.flatMap(\.Records).map { String(decoding: $0.Data.bytes, as: UTF8.self) } == texts)
    }

    @Test func `compressed requests in CBOR are the same request`() async throws {
        let server = try LocalServer { request, _ in
            .json(200, #"{"Records":[{"SequenceNumber":"1"}]}"#).encoded(for: request)
        }
        let harness = try PipelineHarness(to: server) {
            $0.requestFormat = .cbor
            $0.compressesRequests = true
        }
        try await harness.save(String(repeating: "compressible ", count: 1_000))
        #expect(try await harness.flush().delivered == 1)
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == "gzip" && request.isCBOR)
        #expect(request.body.starts(with: [0x1F, 0x8B]) && request.body.count < 2_000)
    }

    @Test func `Firehose gets JSON, whatever the policy says`() async throws {
        let server = try LocalServer { _, _ in .json(200, #"{"RequestResponses":[{"RecordId":"1"}]}"#) }
        let harness = try PipelineHarness(.firehose, to: server) { $0.requestFormat = .cbor }
        try await harness.save("x")
        #expect(try await harness.flush().delivered == 1)
        #expect(server.requests.map { $0.header("Content-Type") } == ["application/x-amz-json-1.1"])
    }

    @Test func `answers that cbor2 writes, with or without lengths, are read as those in JSON`() async throws {
        let answers = [
            #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"49","ShardId":"s"}],"EncryptionType":"NONE"}"#,
            #"{"Records":[{"ShardId":"s","SequenceNumber":"49"}],"FailedRecordCount":-1}"#,
            #"{"Records":[{"SequenceNumber":"49"}]}"#, #"{"Records":[{"SequenceNumber":""}]}"#, #"{"Records":[{}]}"#,
            #"{"Records":[{"ErrorCode":"ValidationException","ErrorMessage":"no"}],"FailedRecordCount":1}"#,
            #"{"Records":[{"SequenceNumber":null,"ErrorCode":"InternalFailure","ErrorMessage":"ünï 🦆"}]}"#,
            #"{"Records":[{"SequenceNumber":"49","ErrorCode":null,"ErrorMessage":null}]}"#,
            #"{"Records":[{"SequenceNumber":"49","ErrorCode":7,"x":[1.5,{"y":[]}]}]}"#, #"{"Records":[null]}"#,
            #"{"Records":[{"SequenceNumber":"49"},{"SequenceNumber":"50"}]}"#, #"{"Records":{}}"#, "{}",
        ]
        let encoded = try await check(decode: [], encode: answers).encoded
        #expect(encoded.count == 2 * answers.count)
        for (index, body) in encoded.enumerated() {
            let json = answers[index / 2]
            #expect(
                PutAnswer(Array(body), to: .kinesis, records: 1)
                    == PutAnswer(Array(json.utf8), to: .kinesis, records: 1),
                "\(json)"
            )
        }
    }

    @Test(arguments: [false, true])
    func `an answer in CBOR that is cut off, anywhere, proves nothing`(indefinite: Bool) {
        let entries: [[String: Any]] = [
            ["SequenceNumber": "49", "ShardId": "s"], ["ErrorCode": "ValidationException"],
        ]
        let body = CBORTree.document(["FailedRecordCount": 1, "Records": entries], indefinite: indefinite)
        #expect(
            PutAnswer(body, to: .kinesis, records: 2)
                == .outcomes([.delivered, .rejected(code: "ValidationException", message: "")])
        )
        for end in body.indices {
            guard case .unreadable = PutAnswer(Array(body[..<end]), to: .kinesis, records: 2) else {
                Issue.record("\(end) of \(body.count) bytes are read")
                continue
            }
        }
    }

    @Test func `a field twice, or bytes after the answer, prove nothing`() {
        let proof = CBORTree.document("SequenceNumber") + CBORTree.document("49")
        let records = CBORTree.document("Records")
        for body in [
            [0xA1] + records + [0x81, 0xA2] + proof + proof,
            [0xA2] + records + [0x81, 0xA1] + proof + records + [0x81, 0xA1] + proof,
            [0xA1] + records + [0x81, 0xA1] + proof + [0x00],
        ] {
            #expect(
                PutAnswer(body, to: .kinesis, records: 1)
                    == .unreadable("The service's answer is not a CBOR map (\(body.count) bytes).")
            )
        }
    }

    @Test func `an answer cut off on its way keeps the batch, and is tried three times`() async throws {
        let server = try LocalServer { request, _ in
            guard case .answer(let status, let headers, let body) = Reply.kinesis(request) else { return .reset }
            return .answer(status: status, headers: headers, body: Array(body.dropLast()))
        }
        let harness = try PipelineHarness(to: server) { $0.requestFormat = .cbor }
        try await harness.saveAll(["1", "2", "3"])
        let report = try await harness.flush()
        #expect(report.delivered == 0 && report.failures.count == 1)
        #expect(server.requests.map(\.isCBOR) == [true, true, true])
        #expect(try harness.storedTexts() == ["1", "2", "3"])
        #expect(try harness.storedFailures() == [0, 0, 0])
    }
}
