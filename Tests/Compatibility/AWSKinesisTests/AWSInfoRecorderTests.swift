import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// Recorders that `awsconfiguration.json` configures; each in a new process, because the file is read once.
@Suite struct AWSInfoRecorderTests {
    @Test func `the file alone configures the default recorder, and recorders under its keys`() async throws {
        let server = try LocalServer { request, _ in
            switch request.operation {
            case "GetId": .json(200, #"{"IdentityId":"us-east-1:id"}"#)
            case "GetCredentialsForIdentity":
                .json(
                    200,
                    #"{"Credentials":{"AccessKeyId":"A","SecretKey":"\#(Canary.secret)","SessionToken":"\#(Canary.token)","Expiration":4102444800}}"#
                )
            default:
                .json(200, #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#)
            }
        }
        let directory = try TemporaryDirectory()
        let file = directory.path("awsconfiguration.json")
        try Data(
            """
            {"CredentialsProvider":{"CognitoIdentity":{"Default":{"PoolId":"us-east-1:p","Region":"us-east-1"}}},
            "KinesisRecorder":{"Default":{"Region":"us-west-2"},"clicks":{"Region":"eu-west-1"}}}
            """.utf8
        ).write(to: URL(fileURLWithPath: file))
        await #expect(processExitsWith: .success) {
            [url = server.url as String, path = directory.path as String, file = file as String] in
            setenv("AWS_ENDPOINT_URL", url, 1)
            setenv("AWS_KINESIS_RECORDER_DIR", path, 1)
            setenv("AWS_KINESIS_RECORDER_CONFIGURATION", file, 1)
            let clicks = try #require(AWSKinesisRecorder(forKey: "clicks"))
            #expect(AWSKinesisRecorder(forKey: "clicks") === clicks)
            #expect(AWSKinesisRecorder(forKey: "no region anywhere") == nil)
            #expect(AWSFirehoseRecorder(forKey: "clicks") == nil)
            for recorder in [AWSKinesisRecorder.default()!, clicks] {
                _ = try await recorder.saveRecord(Data("x".utf8), streamName: "stream").value
                _ = try await recorder.submitAllRecords().value
                #expect(recorder.diskBytesUsed == 0)
            }
        }
        let scopes = server.requests.compactMap { $0.header("Authorization") }
        #expect(scopes.count == 2)
        #expect(scopes[0].contains("/us-west-2/kinesis/") && scopes[1].contains("/eu-west-1/kinesis/"))
    }

    @Test func `a malformed file keeps the records, and the submit names file and line`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("broken.json")
        try Data("{\n\"Default\": }".utf8).write(to: URL(fileURLWithPath: file))
        await #expect(processExitsWith: .success) { [path = directory.path as String, file = file as String] in
            for variable in ["AWS_REGION", "AWS_DEFAULT_REGION"] { unsetenv(variable) }
            setenv("AWS_KINESIS_RECORDER_DIR", path, 1)
            setenv("AWS_KINESIS_RECORDER_CONFIGURATION", file, 1)
            let recorder = try #require(AWSKinesisRecorder.default())
            _ = try await recorder.saveRecord(Data("kept".utf8), streamName: "stream").value
            let error = try #require(await recorder.submitAllRecords().failure())
            #expect(error.localizedDescription.contains("\(file), line 2"), "\(error)")
            #expect(recorder.diskBytesUsed > 0)
        }
    }
}
