import Foundation
import RecorderTestSupport
import Testing

/// The code of the published documentation, unchanged, against a local service.
@Suite(.timeLimit(.minutes(10))) struct GuideTests {
    @Test func `the published code does what the documentation says`() async throws {
        // A separate service, because the documentation's streams have fixed names.
        let moto = try await MotoServer()
        try await moto.createStream("my-stream")
        try await moto.createDeliveryStream("my-delivery-stream")
        let directory = try TemporaryDirectory()
        let ran = try await BuiltProgram.run(
            "AmplifyGuide",
            [],
            environment: ["AWS_ENDPOINT_URL": moto.url, "XDG_STATE_HOME": directory.path, "AWS_REGION": "us-east-1"]
        )
        #expect(ran.status == 0, "\(ran.err)")
        #expect(try await moto.kinesisRecords("my-stream").map(\.text) == ["Hello Kinesis"])
        #expect(try await moto.kinesisRecords("my-stream").map(\.partitionKey) == ["partition-1"])
        #expect(try await moto.firehoseBytes("my-delivery-stream") == Array("Hello Firehose".utf8))
        let store = "\(directory.path)/AmplifyGuide/com.amazonaws.AWSKinesisRecorder/amplify-kinesis-us-east-1.db"
        #expect(FileManager.default.fileExists(atPath: store))
        await moto.stop()
    }
}
