import Foundation
import KinesisRecorders
import RecorderTestSupport
import Testing

/// Recorders for one test, in a directory of the process.
enum Recorders {
    private static let directory: TemporaryDirectory? = {
        let directory = try? TemporaryDirectory()
        AWSAbstractKinesisRecorder.storeDirectory = directory.map { URL(fileURLWithPath: $0.path) }
        return directory
    }()

    static func kinesis(url: String) throws -> AWSKinesisRecorder {
        _ = directory
        let provider = AWSStaticCredentialsProvider(accessKey: "key", secretKey: "secret")
        let endpoint = try #require(AWSEndpoint(urlString: url))
        let configuration = try #require(
            AWSServiceConfiguration(region: .USEast1, endpoint: endpoint, credentialsProvider: provider)
        )
        configuration.maxRetryCount = 0
        let key = UUID().uuidString
        AWSKinesisRecorder.register(with: configuration, forKey: key)
        return try #require(AWSKinesisRecorder(forKey: key))
    }

    static func save(_ count: Int, to recorder: AWSKinesisRecorder) async throws {
        let records = (1...count).map { Data("record \($0)".utf8) }
        _ = try await recorder.saveRecords(records, streamName: "stream").value
    }
}

/// A service that accepts everything.
func acceptingServer() throws -> LocalServer {
    try LocalServer { request, _ in
        let count = PutRequestBody(request.body).records.count
        let entries = Array(repeating: #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#, count: count)
        return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
    }
}
