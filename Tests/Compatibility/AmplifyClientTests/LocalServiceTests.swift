import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// Both clients against a local Kinesis and Firehose that throttle, fail partly or are down, depending on the stream's name.
@Suite(.timeLimit(.minutes(10))) struct LocalServiceTests {
    @Test(arguments: ClientKind.allCases, ["throttle-2", "partial-2", "http503-2"])
    func `records that fail temporarily arrive once, by later flushes`(kind: ClientKind, fault: String) async throws {
        let moto = try await MotoServer.shared()
        let stream = "amplify-\(kind)-\(fault)"
        switch kind {
        case .kinesis: try await moto.createStream(stream)
        case .firehose: try await moto.createDeliveryStream(stream)
        }
        let client = try TestClient(kind, to: moto.url)
        let texts = (0..<100).map { "<\($0)>" }
        try await client.record(texts, to: stream)
        var flushed = 0
        for _ in 0..<4 { flushed += try await client.flush().recordsFlushed }
        #expect(flushed == 100)
        let arrived =
            switch kind {
            case .kinesis: try await moto.kinesisRecords(stream).map(\.text)
            case .firehose:
                String(decoding: try await moto.firehoseBytes(stream), as: UTF8.self)
                    .split(separator: ">").map { "\($0)>" }
            }
        #expect(arrived.sorted() == texts.sorted())
    }
}
