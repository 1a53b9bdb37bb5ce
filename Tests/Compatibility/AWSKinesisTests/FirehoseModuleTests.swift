import AWSFirehose
import Testing

/// What `import AWSFirehose` alone provides.
struct ModuleNameTests {
    @Test func `names that both services use mean those of Firehose`() throws {
        let input = PutRecordInput(deliveryStreamName: "d", record: FirehoseClientTypes.Record(data: Data("x".utf8)))
        #expect(input == AWSFirehose.PutRecordInput(deliveryStreamName: "d", record: .init(data: Data("x".utf8))))
        #expect(PutRecordOutput.self == FirehoseClientTypes.PutRecordOutput.self)
        let client: AWSFirehose.FirehoseClient = try FirehoseClient(region: "us-east-1")
        #expect(client.config.region == "us-east-1")
    }

    @Test func `both recorders and the clients are re-exported`() {
        #expect(AWSFirehoseRecorder.default() === AWSFirehoseRecorder.default())
        #expect(AWSFirehose.default() === AWSFirehose.default())
    }
}
