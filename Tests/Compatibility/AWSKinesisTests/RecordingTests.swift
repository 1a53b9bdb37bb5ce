import AWSKinesis
import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

/// Every operation of every client against requests and answers as botocore has them.
///
/// `Scripts/ServiceModel/record.py` made the recordings, with every member of the service model set. A member that a
/// client names wrong, leaves out or writes in another form is missing in the request, or in what was read of the answer.
@Suite(.timeLimit(.minutes(10))) struct RecordingTests {
    private struct Recording: Sendable {
        let operation: String
        let target: String
        let request: Data
        let answer: Data
    }

    /// The recordings of a service, in a form in which equal JSON is equal bytes.
    private static func recordings(_ service: String) throws -> [Recording] {
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

    /// Plays the recordings of the operations in `table`; gives the names of all recorded ones.
    @discardableResult
    private func play<Client>(
        _ service: String,
        _ table: [String: Operation<Client>],
        client: (_ url: String) throws -> Client
    ) async throws -> Set<String> {
        let recordings = try Self.recordings(service)
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
            #expect(try Self.canonical(sent.body) == recording.request, "\(recording.operation) sends something else")
            #expect(try Self.canonical(read) == recording.answer, "\(recording.operation) reads something else")
        }
        #expect(server.requests.count == table.count)
        return Set(recordings.map(\.operation))
    }

    private func configure<Configuration: AWSClientConfiguration>(
        _ configuration: Configuration,
        _ url: String
    ) -> Configuration {
        let keys = AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret)
        configuration.awsCredentialIdentityResolver = StaticAWSCredentialIdentityResolver(keys)
        configuration.endpoint = url
        return configuration
    }

    @Test func `KinesisClient has every operation, on the wire as botocore has it`() async throws {
        let names = try await play("kinesis", Operations.modernKinesis) { url in
            KinesisClient(config: configure(try KinesisClient.KinesisClientConfiguration(region: "us-east-1"), url))
        }
        #expect(Set(Operations.modernKinesis.keys) == names)
        #expect(names.count == 56)
    }

    @Test func `FirehoseClient has every operation, on the wire as botocore has it`() async throws {
        let names = try await play("firehose", Operations.modernFirehose) { url in
            FirehoseClient(config: configure(try FirehoseClient.FirehoseClientConfiguration(region: "us-east-1"), url))
        }
        #expect(Set(Operations.modernFirehose.keys) == names)
        #expect(names.count == 12)
    }

    @Test func `AWSKinesis has the original's 23 operations in both forms, on the wire as botocore has them`()
        async throws
    {
        for table in [Operations.taskKinesis, Operations.handlerKinesis] {
            #expect(table.count == 23)
            try await play("kinesis", table) { url in
                AWSKinesis.register(with: try Recorders.configuration(url), forKey: url)
                return AWSKinesis(forKey: url)
            }
        }
    }

    @Test func `AWSFirehose has all 12 operations in both forms, on the wire as botocore has them`() async throws {
        for table in [Operations.taskFirehose, Operations.handlerFirehose] {
            #expect(table.count == 12)
            try await play("firehose", table) { url in
                AWSFirehose.register(with: try Recorders.configuration(url), forKey: url)
                return AWSFirehose(forKey: url)
            }
        }
    }
}
