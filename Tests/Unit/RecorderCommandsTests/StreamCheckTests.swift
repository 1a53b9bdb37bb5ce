import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// `doctor STREAM` checks the permission that matters, without writing.
@Suite(.timeLimit(.minutes(5))) struct StreamCheckTests {
    @Test func `keys that allow PutRecords alone are all that is needed`() async throws {
        let server = try await CheckedServer()
        let tool = try Tool(to: server.url, keys: server.setUp.user)
        let shared = "arn:aws:kinesis:us-east-1:\(CheckedServer.otherAccount):stream/shared"
        for stream in ["guarded", shared] {
            let ran = try await tool.run("doctor", stream)
            #expect(ran.status == 0, "\(ran.out)")
            #expect(ran.out.contains("ok    service     reached"))
            #expect(ran.out.contains("accepts records; the credentials have the permission kinesis:PutRecords"))
            #expect(ran.out.contains("ok    record size unknown"))
            #expect(ran.out.contains("\nno problems found"))
        }
        #expect(try await server.records(of: "guarded").isEmpty)
        #expect(try await server.records(of: "shared", account: CheckedServer.otherAccount).isEmpty)
        let denied = try await tool.run("doctor", "forbidden")
        #expect(denied.status == 77)
        #expect(denied.out.contains("FAIL  stream      the credentials may not send to forbidden"))
        #expect(denied.out.contains("Allow kinesis:PutRecords on the stream's ARN"))
        #expect(try await server.requests().allSatisfy { $0.operation != "ListStreams" })
        await server.stop()
    }

    @Test func `the maximum size of a stream's records is shown, and whether it distributes them`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("check-plain", maximumKiB: 1_024)
        try await moto.createStream("check-automatic", maximumKiB: 5_120, distributesRecords: true)
        let tool = try Tool(to: moto.url)
        let plain = try await tool.run("doctor", "check-plain")
        #expect(plain.status == 0)
        #expect(plain.out.contains("record size check-plain accepts records of up to 1.0 MiB"))
        #expect(!plain.out.contains("--omit-keys"))
        let automatic = try await tool.run("doctor", "check-automatic")
        #expect(automatic.status == 0)
        #expect(automatic.out.contains("up to 5.0 MiB") && automatic.out.contains("--omit-keys"))
        #expect(
            automatic.out.contains("warn  keys        check-automatic distributes records by itself (strategy AUTO)")
        )
        #expect(try await moto.kinesisRecords("check-plain").isEmpty)
        #expect(try await tool.run("doctor", "check-missing").status == 69)
    }

    @Test func `a service that does not know dry runs takes an empty record, and a warning says so`() async throws {
        let server = try LocalServer { request, _ in
            request.operation == "PutRecords"
                ? .json(200, #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#)
                : .error(400, "AccessDeniedException")
        }
        let ran = try await Tool(to: server.url).run("doctor", "old")
        #expect(ran.status == 0)
        #expect(ran.out.contains("warn  stream      old accepts records, but the service does not know dry runs"))
        #expect(ran.out.hasSuffix("no problems found, but see warn above.\n"))
        let put = try #require(server.requests.first { $0.operation == "PutRecords" })
        #expect(PutRequestBody(put.body).records.map(\.data) == [Data()])
    }

    @Test func `for Firehose, a batch without records finds a denial and a missing stream, and writes nothing`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("check-delivery")
        let tool = try Tool(to: moto.url)
        let well = try await tool.run("doctor", "check-delivery", "--firehose")
        #expect(well.status == 0, "\(well.out)")
        #expect(well.out.contains("check-delivery exists, and firehose:PutRecordBatch without records was not denied"))
        #expect(try await tool.run("doctor", "check-nothing", "-F").status == 69)
        #expect(try await moto.firehoseBytes("check-delivery").isEmpty)
        let denying = try LocalServer { _, _ in .error(400, "AccessDeniedException") }
        let denied = try await Tool(to: denying.url).run("doctor", "check-delivery", "-F")
        #expect(denied.status == 77 && denied.out.contains("Allow firehose:PutRecordBatch"))
        let alone = try LocalServer { request, _ in
            .error(400, request.operation == "PutRecordBatch" ? "InvalidArgumentException" : "AccessDeniedException")
        }
        let ran = try await Tool(to: alone.url).run("doctor", "check-delivery", "-F")
        #expect(ran.status == 0 && ran.out.contains("\nno problems found"))
    }

    @Test func `an ARN of another region is found before any request for it`() async throws {
        let moto = try await MotoServer.shared()
        let ran = try await Tool(to: moto.url).run("doctor", "arn:aws:kinesis:eu-west-1:123456789012:stream/app")
        #expect(ran.status == 64)
        #expect(ran.out.contains("FAIL  stream") && ran.out.contains("eu-west-1") && ran.out.contains("us-east-1"))
    }
}
