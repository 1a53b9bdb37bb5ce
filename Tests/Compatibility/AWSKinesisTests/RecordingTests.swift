import AWSFirehose
import AWSKinesis
import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

/// Compares every operation of every client with requests and answers of botocore.
///
/// `Scripts/ServiceModel/record.py` writes the recordings, with every member of the service model set. A member that a
/// client names wrong, omits or encodes differently shows up as a difference in the request or in the decoded answer.
@Suite(.timeLimit(.minutes(10))) struct RecordingTests {
    private struct Recording: Sendable {
        let operation: String
        let target: String
        let request: Data
        let answer: Data
    }

    /// The recordings of a service, in canonical form: equal JSON is equal bytes.
    private static func recordings(of service: String) throws -> [Recording] {
        let url = try #require(Bundle.module.url(forResource: "Recordings/\(service)", withExtension: "json"))
        let all = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [[String: Any]])
        return try all.map { recording in
            Recording(
                operation: try #require(recording["operation"] as? String),
                target: try #require(recording["target"] as? String),
                request: try canonical(recording["request"]),
                answer: try canonical(recording["answer"])
            )
        }
    }

    private static func canonical(_ json: Any?) throws -> Data {
        try JSONSerialization.data(withJSONObject: try #require(json), options: .sortedKeys)
    }

    private static func canonical(_ body: [UInt8]) throws -> Data {
        try canonical(try JSONSerialization.jsonObject(with: Data(body)))
    }

    /// Plays the recordings of the operations in `table`. Returns the names of all recorded operations.
    @discardableResult
    private func play<Client>(
        _ service: String,
        with table: [String: Operation<Client>],
        client: (_ url: String) throws -> Client
    ) async throws -> Set<String> {
        let recordings = try Self.recordings(of: service)
        let answers = Dictionary(uniqueKeysWithValues: recordings.map { ($0.operation, $0.answer) })
        let server = try LocalServer { request, _ in
            .answer(status: 200, headers: [], body: Array(answers[request.operation ?? ""] ?? Data()))
        }
        let client = try client(server.url)
        for recording in recordings {
            guard let operation = table[recording.operation] else { continue }
            let read = try await operation.call(client, recording.request)
            let sent = try #require(server.requests.last)
            #expect(sent.header("X-Amz-Target") == recording.target)
            #expect(
                try Self.canonical(sent.body) == recording.request,
                "\(recording.operation) sends a different request"
            )
            #expect(
                try Self.canonical(read) == recording.answer,
                "\(recording.operation) decodes the answer differently"
            )
        }
        #expect(server.requests.count == table.count)
        return Set(recordings.map(\.operation))
    }

    private func configure<Configuration: AWSClientConfiguration>(
        _ configuration: Configuration,
        endpoint url: String
    ) -> Configuration {
        let keys = AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret)
        configuration.awsCredentialIdentityResolver = StaticAWSCredentialIdentityResolver(keys)
        configuration.endpoint = url
        return configuration
    }

    @Test func `KinesisClient has every operation, encoded as in botocore`() async throws {
        let names = try await play("kinesis", with: Operations.modernKinesis) { url in
            KinesisClient(
                config: configure(try KinesisClient.KinesisClientConfiguration(region: "us-east-1"), endpoint: url)
            )
        }
        #expect(Set(Operations.modernKinesis.keys) == names)
        #expect(names.count == 56)
    }

    @Test func `FirehoseClient has every operation, encoded as in botocore`() async throws {
        let names = try await play("firehose", with: Operations.modernFirehose) { url in
            FirehoseClient(
                config: configure(try FirehoseClient.FirehoseClientConfiguration(region: "us-east-1"), endpoint: url)
            )
        }
        #expect(Set(Operations.modernFirehose.keys) == names)
        #expect(names.count == 12)
    }

    @Test func `AWSKinesis has the original's 23 operations in both forms, encoded as in botocore`()
        async throws
    {
        for table in [Operations.taskKinesis, Operations.handlerKinesis] {
            #expect(table.count == 23)
            try await play("kinesis", with: table) { url in
                AWSKinesis.register(with: try Recorders.configuration(url), forKey: url)
                return AWSKinesis(forKey: url)
            }
        }
    }

    @Test func `AWSFirehose has all 12 operations in both forms, encoded as in botocore`() async throws {
        for table in [Operations.taskFirehose, Operations.handlerFirehose] {
            #expect(table.count == 12)
            try await play("firehose", with: table) { url in
                AWSFirehose.register(with: try Recorders.configuration(url), forKey: url)
                return AWSFirehose(forKey: url)
            }
        }
    }
}
