import AWSKinesisClient
import AWSServiceClients
import Foundation
import RecorderConcurrency
import RecorderHTTP
import RecorderTestSupport
import Testing

/// What a client logs about its requests and answers.
@Suite(.timeLimit(.minutes(5))) struct ClientLogModeTests {
    private static let payload = Data("canary-payload-cccccccccccc".utf8)

    /// Makes a call whose answer quotes the whole request. Returns the logged lines, and what no line may show.
    private static func call(logging mode: ClientLogMode) async throws -> (lines: [String], secrets: [String]) {
        let server = try LocalServer { request, _ in
            let headers = ["Authorization", "X-Amz-Security-Token"].compactMap { name in
                request.header(name).map { HTTPHeader("X-Quoted-\(name)", $0) }
            }
            let answer = #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1","ShardId":"the-data"}]}"#
            return .json(200, answer, headers: headers + [HTTPHeader("Set-Cookie", "canary-cookie")])
        }
        let lines = Locked<[String]>([])
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1", endpoint: server.url)
        configuration.clientLogMode = mode
        configuration.log = RequestLog { line in lines.withLock { $0.append(line()) } }
        configuration.awsCredentialIdentityResolver = StaticAWSCredentialIdentityResolver(
            AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret, sessionToken: Canary.token)
        )
        let entries = (0..<3).map { _ in
            KinesisClientTypes.PutRecordsRequestEntry(data: payload, partitionKey: "the-key")
        }
        _ = try await KinesisClient(config: configuration).putRecords(
            input: PutRecordsInput(records: entries, streamName: "the-stream")
        )
        let signature = server.requests[0].header("Authorization")?.split(separator: "Signature=").last ?? ""
        let hidden = [
            Canary.accessKey, Canary.secret, Canary.token, String(signature), "canary", payload.base64EncodedString(),
            "the-key",
        ]
        return (lines.withLock { $0 }, hidden)
    }

    private static let request = "request: POST http://127.0.0.1:"
    private static let answer = "answer: HTTP 200 ["
    private static let sent =
        #"{"Records":[3 × {"Data":text(36),"PartitionKey":text(7)}],"StreamName":text(10)}"#
    private static let came =
        #"{"FailedRecordCount":number,"Records":[1 × {"SequenceNumber":text(1),"ShardId":text(8)}]}"#

    /// The start and the end of each line.
    private static let modes: [(ClientLogMode, [(String, String)])] = [
        (.none, []), (.request, [(request, " bytes")]), (.requestWithBody, [(request, sent)]),
        (.response, [(answer, " bytes")]), (.responseWithBody, [(answer, came)]),
        (.requestAndResponse, [(request, " bytes"), (answer, " bytes")]),
        (.requestAndResponseWithBody, [(request, sent), (answer, came)]),
        (.requestWithoutAuthorizationHeader, [(request, " bytes")]),
    ]

    @Test(arguments: modes.indices)
    func `a mode logs its lines, and no line shows a key, a signature or a record`(mode: Int) async throws {
        let (mode, expected) = Self.modes[mode]
        let (lines, secrets) = try await Self.call(logging: mode)
        #expect(lines.count == expected.count)
        for (line, (start, end)) in zip(lines, expected) {
            #expect(line.hasPrefix(start) && line.hasSuffix(end), "\(line)")
            for secret in secrets { #expect(!line.contains(secret)) }
            guard start == Self.request else { continue }
            #expect(line.contains("X-Amz-Target: Kinesis_20131202.PutRecords"))
            #expect(line.contains("X-Amz-Security-Token: (redacted)"))
            let isNamed = mode != .requestWithoutAuthorizationHeader
            #expect(line.contains("Authorization: (redacted)") == isNamed)
        }
    }

    @Test func `requests are logged by default`() throws {
        #expect(try KinesisClient.KinesisClientConfiguration(region: "us-east-1").clientLogMode == .request)
    }
}
