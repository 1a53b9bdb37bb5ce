import AWSCore
import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// Cancelling a submit, with a token or by cancelling the Swift task.
@Suite(.timeLimit(.minutes(10))) struct SubmitCancellationTests {
    /// A service that never responds, and a recorder with one record for it.
    private struct Stalled {
        let gate = Gate()
        let server: LocalServer
        let recorder: AWSKinesisRecorder

        init() async throws {
            server = try LocalServer { [gate] _, _ in
                gate.wait()
                return .dropConnection
            }
            recorder = try Recorders.kinesis(url: server.url)
            _ = try await recorder.saveRecord(Data("a".utf8), streamName: "stream").value
        }
    }

    @Test func `a cancelled token cancels the submit's task, and the record stays`() async throws {
        let stalled = try await Stalled()
        defer { stalled.gate.open() }
        let cancellation = AWSCancellationTokenSource()
        let task = try #require(stalled.recorder.submitAllRecords(cancellationToken: cancellation.token))
        await stalled.server.received(1)
        cancellation.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(task.isCancelled)
        #expect(stalled.recorder.diskBytesUsed > 0)
    }

    @Test func `a cancelled Swift task ends its submit, and the record stays`() async throws {
        let stalled = try await Stalled()
        defer { stalled.gate.open() }
        let recorder = stalled.recorder
        let task = Task { try await recorder.submit() }
        await stalled.server.received(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(recorder.diskBytesUsed > 0)
    }

    @Test func `a token that is cancelled before or after the submit has no side effect`() async throws {
        let server = try LocalServer { _, _ in .json(200, #"{"Records":[{"SequenceNumber":"1"}]}"#) }
        let recorder = try Recorders.kinesis(url: server.url)
        _ = try await recorder.saveRecord(Data("a".utf8), streamName: "stream").value
        let cancellation = AWSCancellationTokenSource()
        cancellation.cancel()
        let late = try #require(recorder.submitAllRecords(cancellationToken: cancellation.token))
        await #expect(throws: CancellationError.self) { try await late.value }
        let open = AWSCancellationTokenSource()
        _ = try await recorder.submitAllRecords(cancellationToken: open.token).value
        open.cancel()
        try await recorder.submit()
        #expect(recorder.diskBytesUsed == 0)
    }
}
