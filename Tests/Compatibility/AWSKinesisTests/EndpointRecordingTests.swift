import AWSFirehose
import AWSKinesis
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Compares where requests go, what they contain and how they are signed with botocore's requests.
///
/// `Scripts/ServiceModel/record_endpoints.py` writes the recordings: each operation, with and without account and ARN, in all
/// partitions, with FIPS, dual stack and custom endpoints.
@Suite(.timeLimit(.minutes(10))) struct EndpointRecordingTests {
    private struct Recording: Sendable {
        let service: AWSService
        let operation: String
        let environment: [String: String]
        let body: Data
        /// nil if botocore refuses the request.
        let url: String?
        let scope: String?
    }

    private static func recordings() throws -> [Recording] {
        let url = try #require(Bundle.module.url(forResource: "Recordings/endpoints", withExtension: "json"))
        let all = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [[String: Any]])
        return try all.map { recording in
            Recording(
                service: recording["service"] as? String == "kinesis" ? .kinesis : .firehose,
                operation: try #require(recording["operation"] as? String),
                environment: try #require(recording["environment"] as? [String: String]),
                body: try canonical(try #require(recording["request"])),
                url: recording["url"] as? String,
                scope: recording["scope"] as? String
            )
        }
    }

    private static func canonical(_ json: Any) throws -> Data {
        try JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
    }

    @Test func `requests of the service clients match botocore's`() async throws {
        let recordings = try Self.recordings()
        #expect(recordings.count >= 700)
        for recording in recordings {
            try await check(recording) { caller in
                let calls = ClientCalls(by: caller)
                if recording.service == .kinesis {
                    let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
                    return Operations.modernKinesis[recording.operation]?
                        .bound(to: KinesisClient(config: configuration, calls: calls))
                }
                let configuration = try FirehoseClient.FirehoseClientConfiguration(region: "us-east-1")
                return Operations.modernFirehose[recording.operation]?
                    .bound(to: FirehoseClient(config: configuration, calls: calls))
            }
        }
    }

    @Test func `requests of the AWS SDK's clients match botocore's`() async throws {
        for recording in try Self.recordings() {
            try await check(recording) { caller in
                recording.service == .kinesis
                    ? Operations.taskKinesis[recording.operation]?.bound(to: AWSKinesis(caller: caller))
                    : Operations.taskFirehose[recording.operation]?.bound(to: AWSFirehose(caller: caller))
            }
        }
    }

    /// Makes the request through the operation of a client, if the client has it, and compares.
    private func check(
        _ recording: Recording,
        operation: (AWSServiceCaller) throws -> ((Data) async throws -> [UInt8])?
    ) async throws {
        let transport = RequestRecorder()
        do {
            let caller = AWSServiceCaller(recording.service, configuration: try configuration(recording, transport))
            guard let operation = try operation(caller) else { return }
            _ = try await operation(recording.body)
        } catch {
            #expect(recording.url == nil, "\(recording.operation) \(recording.environment): \(error)")
        }
        let sent = transport.requests.withLock { $0 }
        guard let url = recording.url else {
            #expect(sent.isEmpty, "\(recording.operation) \(recording.environment) is sent to \(sent.map(\.url))")
            return
        }
        let request = try #require(sent.first)
        #expect(request.url == url, "\(recording.operation) \(recording.environment)")
        #expect(request.header("Host") == url.split(separator: "/").dropFirst().first.map(String.init))
        #expect(try Self.canonical(try JSONSerialization.jsonObject(with: Data(request.body))) == recording.body)
        let credential = request.header("Authorization")?.split(separator: "Credential=").last?.prefix { $0 != "," }
        #expect(credential?.split(separator: "/").dropFirst(2).joined(separator: "/") == recording.scope)
    }

    private func configuration(_ recording: Recording, _ transport: RequestRecorder) throws -> CallConfiguration {
        let region = try #require(recording.environment["AWS_REGION"])
        let keys = ["AWS_ACCESS_KEY_ID": Canary.accessKey, "AWS_SECRET_ACCESS_KEY": Canary.secret]
        var configuration = try AWSClientConfiguration(region: region).callConfiguration(
            for: recording.service,
            environment: recording.environment.merging(keys) { $1 }
        )
        configuration.transport = transport
        return configuration
    }
}

extension Operation {
    /// The operation of one client.
    fileprivate func bound(to client: Client) -> (Data) async throws -> [UInt8] {
        { try await call(client, $0) }
    }
}

extension HTTPRequest {
    fileprivate func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Keeps requests and answers each with an empty document.
private final class RequestRecorder: HTTPTransport {
    let requests = Locked<[HTTPRequest]>([])

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        return HTTPResponse(status: 200, body: Array("{}".utf8))
    }
}
