import AWSKinesis
import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Copies of records that the service did not accept.
@Suite(.timeLimit(.minutes(3))) struct KeepsRejectedTests {
    @Test func `a recorder keeps rejected records if keepsRejected is set, until they are restored`() async throws {
        let server = try LocalServer { request, _ in
            let entries = PutRequestBody(request.body).records.map { _ in #"{"ErrorCode":"InvalidArgumentException"}"# }
            return .json(200, #"{"FailedRecordCount":1,"Records":[\#(entries.joined(separator: ","))]}"#)
        }
        let recorder = try Recorders.kinesis(url: server.url)
        #expect(!recorder.keepsRejected)
        for isKept in [false, true] {
            recorder.keepsRejected = isKept
            #expect(recorder.keepsRejected == isKept)
            _ = try await recorder.saveRecord(Data("bad".utf8), streamName: "stream").value
            try await recorder.submit()
            #expect(try recorder.pipeline.status().rejectedCopies == (isKept ? 1 : 0))
        }
        _ = try await recorder.removeAllRecords().value
        #expect(recorder.diskBytesUsed == 0 && recorder.statistics?.rejected == 2)
        #expect(try await recorder.pipeline.restoreRejected() == 1)
        #expect(recorder.statistics?.stored == 1)
    }
}
