import AWSKinesis
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Recorders that the program lets go of while they have work.
@Suite(.timeLimit(.minutes(2))) struct ReleasedRecorderTests {
    @Test func `the notifications of queued saves have their sender, though the recorder was removed and released`()
        async throws
    {
        let (key, stream) = (UUID().uuidString, UUID().uuidString)
        let gate = Gate()
        let (notes, continuation) = AsyncStream.makeStream(of: (count: Int, hasSender: Bool).self)
        let observer = NotificationCenter.default.addObserver(
            forName: .AWSRecorderDidDiscardRecords,
            object: nil,
            queue: nil
        ) { note in
            guard note.userInfo?[AWSRecorderDiscardStreamNamesKey] as? [String] == [stream] else { return }
            gate.wait()
            let count = (note.userInfo?[AWSRecorderDiscardCountKey] as? NSNumber)?.intValue ?? 0
            continuation.yield((count, note.object is AWSKinesisRecorder))
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try Self.saveAndRelease(20, to: stream, forKey: key)
        gate.open()
        var count = 0
        for await note in notes {
            count += note.count
            #expect(note.hasSender)
            if count >= 20 { break }
        }
    }

    /// Each save discards its record, for the limit is too low for any.
    private static func saveAndRelease(_ count: Int, to stream: String, forKey key: String) throws {
        let recorder = try Recorders.kinesis(key)
        recorder.diskByteLimit = 1
        for number in 0..<count { recorder.saveRecord(Data("\(number)".utf8), streamName: stream) }
        AWSKinesisRecorder.remove(forKey: key)
    }

    @Test func `a recorder that was released before its submit ends reports the submit's metrics`() async throws {
        let gate = Gate()
        let server = try LocalServer { _, _ in
            gate.wait()
            return .json(200, #"{"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#)
        }
        let (metrics, continuation) = AsyncStream.makeStream(of: Int.self)
        try await Self.submitAndRelease(to: server.url) { continuation.yield($0.recordsSent) }
        await server.received(1)
        gate.open()
        var sent = metrics.makeAsyncIterator()
        #expect(await sent.next() == 1)
    }

    private static func submitAndRelease(
        to url: String,
        metrics: @escaping @Sendable (AWSSubmitMetrics) -> Void
    ) async throws {
        let key = UUID().uuidString
        let recorder = try Recorders.kinesis(key, url: url)
        recorder.metricsHandler = metrics
        _ = try await recorder.saveRecord(Data("a".utf8), streamName: "stream").value
        recorder.submitAllRecords()
        AWSKinesisRecorder.remove(forKey: key)
    }
}
