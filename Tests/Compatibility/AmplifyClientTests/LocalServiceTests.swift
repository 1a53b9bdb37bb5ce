import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// Both clients against a local Kinesis and Firehose that throttle, fail in part and are away, as the stream's name asks.
@Suite(.timeLimit(.minutes(10))) struct LocalServiceTests {
    @Test(arguments: ClientKind.allCases, ["throttle-2", "partial-2", "http503-2"])
    func `what fails for a while arrives, once, by later flushes`(side: ClientKind, fault: String) async throws {
        let moto = try await MotoServer.shared()
        let stream = "amplify-\(side)-\(fault)"
        switch side {
        case .kinesis: try await moto.createStream(stream)
        case .firehose: try await moto.createDeliveryStream(stream)
        }
        let client = try TestClient(side, to: moto.url)
        let texts = (0..<100).map { "<\($0)>" }
        try await client.record(texts, to: stream)
        var flushed = 0
        for _ in 0..<4 { flushed += try await client.flush().recordsFlushed }
        #expect(flushed == 100)
        let arrived =
            switch side {
            case .kinesis: try await moto.kinesisRecords(stream).map(\.text)
            case .firehose:
                String(decoding: try await moto.firehoseBytes(stream), as: UTF8.self)
                    .split(separator: ">").map { "\($0)>" }
            }
        #expect(arrived.sorted() == texts.sorted())
    }
}
