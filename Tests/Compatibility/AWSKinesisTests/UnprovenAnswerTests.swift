import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// Responses that do not prove delivery: the submit's task faults with a reason, and the records stay.
@Suite struct UnprovenAnswerTests {
    @Test(arguments: ["Records", "RequestResponses"])
    func `a response with fewer entries than records faults each submit with their number`(
        field: String
    ) async throws {
        let proof = field == "Records" ? "SequenceNumber" : "RecordId"
        let server = try LocalServer { _, _ in
            .json(200, #"{"\#(field)":[{"\#(proof)":"1"},{"\#(proof)":"2"}]}"#)
        }
        let recorder: AWSAbstractKinesisRecorder =
            field == "Records" ? try Recorders.kinesis(url: server.url) : try Recorders.firehose(url: server.url)
        for text in ["1", "2", "3"] { _ = try await recorder.saveRecord(Data(text.utf8), streamName: "short").value }
        let stored = recorder.diskBytesUsed
        for _ in 0..<2 {
            let error = try #require(await recorder.submitAllRecords().failure())
            #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorCannotParseResponse)
            for word in ["2 of 3", "kept"] { #expect(error.localizedDescription.contains(word), "\(error)") }
        }
        #expect(recorder.diskBytesUsed == stored)
    }
}
