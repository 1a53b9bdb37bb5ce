import AWSCognito
import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// The published Swift 3 example: Cognito credentials, a registered Firehose recorder and the default one.
@Suite struct CognitoTests {
    @Test func `a guest of an identity pool gets an identity, and its records are delivered`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("FirehoseName")
        let pool = try await moto.createIdentityPool()
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) {
            [url = moto.url as String, pool = pool as String, path = directory.path as String] in
            setenv("AWS_ENDPOINT_URL", url, 1)
            setenv("AWS_KINESIS_RECORDER_DIR", path, 1)
            let credentialsProvider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: pool)
            let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: credentialsProvider)
            AWSFirehoseRecorder.register(with: configuration, forKey: "FirehoseName")
            AWSServiceManager.default().defaultServiceConfiguration = configuration

            let identity = try await credentialsProvider.getIdentityId().value as String?
            #expect(identity?.hasPrefix("us-east-1:") == true)

            for firehoseRecorder in [AWSFirehoseRecorder.default()!, AWSFirehoseRecorder(forKey: "FirehoseName")!] {
                let tasks = ["one", "two"].map {
                    firehoseRecorder.saveRecord(Data($0.utf8), streamName: "FirehoseName")!
                }
                let submit = AWSTask(forCompletionOfAllTasks: tasks).continueOnSuccessWith { _ in
                    firehoseRecorder.submitAllRecords()
                }
                _ = try await submit.value
                #expect(firehoseRecorder.diskBytesUsed == 0)
            }
        }
        #expect(String(decoding: try await moto.firehoseBytes("FirehoseName"), as: UTF8.self) == "onetwoonetwo")
    }

    @Test func `a pool that does not exist keeps the records, and the error names the call`() async throws {
        let server = try LocalServer { _, _ in
            .error(400, "ResourceNotFoundException", message: "IdentityPool 'us-east-1:none' not found.")
        }
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) {
            [url = server.url as String, path = directory.path as String] in
            setenv("AWS_ENDPOINT_URL", url, 1)
            setenv("AWS_KINESIS_RECORDER_DIR", path, 1)
            let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:none")
            AWSServiceManager.default().defaultServiceConfiguration = AWSServiceConfiguration(
                region: .USEast1,
                credentialsProvider: provider
            )
            let recorder = try #require(AWSKinesisRecorder.default())
            _ = try await recorder.saveRecord(Data("kept".utf8), streamName: "stream").value
            let error = try #require(await recorder.submitAllRecords().failure())
            #expect(error.localizedDescription.contains("GetId"), "\(error)")
            #expect(error.localizedDescription.contains("us-east-1:none"), "\(error)")
            #expect(recorder.diskBytesUsed > 0)
        }
    }
}
