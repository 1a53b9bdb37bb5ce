import RecorderAWS
import Testing

@Suite struct AWSResourceNameTests {
    @Test func `an ARN has partition, service, region, account and resource`() throws {
        let name = try #require(
            AWSResourceName("arn:aws-cn:kinesis:cn-north-1:123456789012:stream/orders/consumer/a:1")
        )
        #expect(name.partition == "aws-cn")
        #expect(name.service == "kinesis")
        #expect(name.region == "cn-north-1")
        #expect(name.account == "123456789012")
        #expect(name.resource == "stream/orders/consumer/a:1")
        #expect(name.resourceParts == ["stream", "orders", "consumer", "a", "1"])
    }

    @Test func `region and account may be missing`() throws {
        let name = try #require(AWSResourceName("arn:aws:s3:::bucket"))
        #expect(name.region == "")
        #expect(name.account == "")
    }

    @Test(arguments: [
        "", "orders", "arn:", "arn:aws:kinesis:eu-west-1:123456789012", "arn:aws:kinesis:eu-west-1:123456789012:",
        "arn::kinesis:eu-west-1:123456789012:stream/orders", "arn:aws::eu-west-1:123456789012:stream/orders",
        "ARN:aws:kinesis:eu-west-1:123456789012:stream/orders",
    ])
    func `a text of another form is no ARN`(text: String) {
        #expect(AWSResourceName(text) == nil)
    }

    @Test(arguments: [
        ("arn:aws:kinesis:eu-west-1:123456789012:stream/orders", AWSService.kinesis),
        ("arn:aws:firehose:eu-west-1:123456789012:deliverystream/orders", .firehose),
    ])
    func `the ARN of a stream holds its name`(text: String, service: AWSService) throws {
        let name = try AWSResourceName(stream: text, of: service)
        #expect(name.streamName == "orders")
        #expect(name.description == text)
        try name.check(in: Region("eu-west-1"))
    }

    @Test(arguments: [
        (
            "arn:aws:firehose:eu-west-1:123456789012:deliverystream/orders", AWSService.kinesis,
            "its service is \"firehose\""
        ),
        ("arn:aws:kinesis:eu-west-1:123456789012:stream/orders", .firehose, "a stream of firehose is needed"),
        ("arn:aws:kinesis:eu-west-1:12345678901:stream/orders", .kinesis, "its account is \"12345678901\""),
        ("arn:aws:kinesis:eu-west-1:１２３４５６７８９０１２:stream/orders", .kinesis, "has 12 digits"),
        ("arn:aws:kinesis:eu-west-1::stream/orders", .kinesis, "its account is \"\""),
        ("arn:aws:kinesis::123456789012:stream/orders", .kinesis, "it has no region"),
        ("arn:aws:kinesis:eu-west-1:123456789012:stream/", .kinesis, "it must end in \"stream/\""),
        ("arn:aws:kinesis:eu-west-1:123456789012:stream/a/b", .kinesis, "it must end in \"stream/\""),
        ("arn:aws:kinesis:eu-west-1:123456789012:stream:orders", .kinesis, "it must end in \"stream/\""),
        ("arn:aws:kinesis:eu-west-1:123456789012:deliverystream/orders", .kinesis, "it must end in \"stream/\""),
        ("arn:aws:firehose:eu-west-1:123456789012:stream/orders", .firehose, "it must end in \"deliverystream/\""),
        ("arn:aws:kinesis:eu-west-1:123456789012", .kinesis, "is not an ARN"),
    ])
    func `an ARN that is no stream's is refused with the wrong part and the form`(
        text: String,
        service: AWSService,
        problem: String
    ) throws {
        let failure = #expect(throws: ConfigurationFailure.self) { try AWSResourceName(stream: text, of: service) }
        let message = try #require(failure?.message)
        #expect(message.contains(problem))
        #expect(message.contains("\"\(text)\""))
        #expect(message.contains("arn:aws:\(service.signingName):eu-west-1:123456789012:"))
    }

    @Test(arguments: [
        ("arn:aws:kinesis:eu-west-1:123456789012:stream/orders", "us-east-1", "configure eu-west-1"),
        ("arn:aws:kinesis:us-east-1:123456789012:stream/orders", "cn-north-1", "requests go to cn-north-1"),
        (
            "arn:aws-cn:kinesis:us-east-1:123456789012:stream/orders", "us-east-1",
            "write it as arn:aws:kinesis:us-east-1:123456789012:stream/orders"
        ),
        ("arn:aws:kinesis:us-gov-west-1:123456789012:stream/orders", "us-gov-west-1", "belongs to aws-us-gov"),
    ])
    func `a stream of another region or partition is refused with both`(text: String, region: String, remedy: String)
        throws
    {
        let name = try AWSResourceName(stream: text, of: .kinesis)
        let failure = #expect(throws: ConfigurationFailure.self) { try name.check(in: Region(region)) }
        let message = try #require(failure?.message)
        #expect(message.contains(remedy))
        #expect(message.contains(text))
    }
}
