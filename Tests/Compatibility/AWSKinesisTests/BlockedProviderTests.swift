import AWSCore
import AWSKinesis
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// A credentials provider whose call does not return.
@Suite(.timeLimit(.minutes(2))) struct BlockedProviderTests {
    /// Blocks its first call until the gate opens; gives keys in later ones.
    private final class Provider: NSObject, AWSCredentialsProvider, Sendable {
        let gate = Gate()
        private let calls = Locked(0)
        private let started = DispatchSemaphore(value: 0)

        func credentials() -> AWSTask<AWSCredentials> {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number == 1 {
                started.signal()
                gate.wait()
            }
            return AWSTask(
                result: AWSCredentials(
                    accessKey: Canary.accessKey,
                    secretKey: Canary.secret,
                    sessionKey: nil,
                    expiration: nil
                )
            )
        }

        func invalidateCachedTemporaryCredentials() {}

        func firstCall() async throws { try await onNewThread(named: "wait") { self.started.wait() } }
    }

    @Test func `a submit that was cancelled while its provider blocks gives everything back, here and elsewhere`()
        async throws
    {
        let provider = Provider()
        defer { provider.gate.open() }
        let server = try LocalServer { _, _ in .json(200, #"{"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#) }
        let configuration = try #require(
            AWSServiceConfiguration(
                region: .USEast1,
                endpoint: AWSEndpoint(urlString: server.url),
                credentialsProvider: provider
            )
        )
        let key = UUID().uuidString
        _ = Recorders.path
        AWSKinesisRecorder.register(with: configuration, forKey: key)
        let recorder = try #require(AWSKinesisRecorder(forKey: key))
        _ = try await recorder.saveRecord(Data("a".utf8), streamName: "stream").value
        let cancellation = AWSCancellationTokenSource()
        let submit = try #require(recorder.submitAllRecords(cancellationToken: cancellation.token))
        try await provider.firstCall()
        cancellation.cancel()
        await #expect(throws: CancellationError.self) { try await submit.value }
        // Another recorder of the same file, as in another process, then this one.
        let other = try Recorders.kinesis(key, url: server.url)
        try await other.submit()
        #expect(other.diskBytesUsed == 0)
        _ = try await recorder.saveRecord(Data("b".utf8), streamName: "stream").value
        try await recorder.submit()
        #expect(server.requests.count == 2 && recorder.diskBytesUsed == 0)
    }
}
