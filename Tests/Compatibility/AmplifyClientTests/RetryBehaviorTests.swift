import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// The documentation's "Retry behavior", sentence by sentence.
@Suite(.timeLimit(.minutes(10))) struct RetryBehaviorTests {
    @Test(
        arguments: ClientKind.allCases,
        [
            "ProvisionedThroughputExceededException", "InternalFailure", "ServiceUnavailableException",
            "InvalidRecordException", "UnknownException",
        ]
    )
    func `a record that failed with any code is sent again by the next flush, its neighbours are not`(
        kind: ClientKind,
        code: String
    ) async throws {
        let server = try LocalServer { request, index in
            ReceivedPut(request).reply { index == 0 && $0 == "bad" ? code : nil }
        }
        let client = try TestClient(kind, to: server.url)
        for text in ["good", "bad", "fine"] { try await client.record(text) }
        #expect(try await client.flush().recordsFlushed == 2)
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(server.requests.map { ReceivedPut($0).texts } == [["good", "bad", "fine"], ["bad"]])
    }

    @Test(arguments: ClientKind.allCases, [0, 1, 5])
    func `a record is deleted after maxRetries + 1 failures, and reported`(
        kind: ClientKind,
        maxRetries: Int
    ) async throws {
        let server = try LocalServer { request, _ in ReceivedPut(request).reply { _ in "InternalFailure" } }
        let client = try TestClient(kind, to: server.url) { $0.maxRetries = maxRetries }
        let events = client.events()
        try await client.record("bad")
        for _ in 0...maxRetries {
            #expect(try await client.flush().recordsFlushed == 0)
        }
        #expect(server.requests.count == maxRetries + 1)
        _ = try await client.flush()
        #expect(server.requests.count == maxRetries + 1)
        #expect(try await client.clear() == 0)
        let discards = await events.collect(1) { if case .discarded = $0 { true } else { false } }
        #expect(discards == [.discarded(records: 1, streamNames: ["stream"], reason: .maxRetriesExceeded)])
    }

    @Test(arguments: ClientKind.allCases)
    func `the default is five retries`(kind: ClientKind) async throws {
        let server = try LocalServer { _, _ in .error(400, "AccessDeniedException") }
        let client = try TestClient(kind, to: server.url)
        try await client.record("refused")
        for _ in 0..<5 { try await client.flush() }
        #expect(try await client.clear() == 1)
        try await client.record("refused")
        for _ in 0..<6 { try await client.flush() }
        #expect(try await client.clear() == 0)
    }

    @Test(
        arguments: ClientKind.allCases,
        ["AccessDeniedException", "ResourceNotFoundException", "InternalFailure", "UnknownException"]
    )
    func `a stream that the service refuses is skipped, the others are sent, and the flush succeeds`(
        kind: ClientKind,
        code: String
    ) async throws {
        let server = try LocalServer { request, _ in
            let put = ReceivedPut(request)
            return put.stream == "refused" ? .error(code == "InternalFailure" ? 500 : 400, code) : put.reply()
        }
        let client = try TestClient(kind, to: server.url)
        let events = client.events()
        for stream in ["a", "refused", "z"] { try await client.record("text", to: stream) }
        #expect(try await client.flush().recordsFlushed == 2)
        let retried = await events.collect(1) { if case .retried = $0 { true } else { false } }
        guard case .retried(1, "refused", let reason)? = retried.first else {
            Issue.record("not reported: \(retried)")
            return
        }
        #expect(reason.contains(code))
        #expect(try await client.clear() == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `an invalid record among 500 counts one attempt per flush, its neighbours are sent at once`(kind: ClientKind)
        async throws
    {
        let server = try LocalServer { request, _ in
            let put = ReceivedPut(request)
            return put.texts.contains("250") ? .error(400, "InvalidArgumentException") : put.reply()
        }
        let client = try TestClient(kind, to: server.url) { $0.maxRetries = 1 }
        for text in 0..<500 { try await client.record("\(text)") }
        #expect(try await client.flush().recordsFlushed == 499)
        #expect(server.requests.count <= 20)
        try await client.flush()
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases)
    func `without network every flush throws, and no record is lost`(kind: ClientKind) async throws {
        let directory = try TemporaryDirectory()
        let offline = try TestClient(kind, to: "http://127.0.0.1:1", in: directory) { $0.cacheMaxBytes = 64 << 20 }
        try await offline.record((0..<1_200).map(String.init))
        for _ in 0..<100 {
            let error = await ClientError.thrown { try await offline.flush() }
            #expect(error?.kind == .unknown)
        }
        let server = try AcceptingServer()
        let online = try TestClient(kind, to: server.url, in: directory)
        #expect(try await online.drain().recordsFlushed == 1_200)
        #expect(Set(server.texts) == Set((0..<1_200).map(String.init)) && server.texts.count == 1_200)
    }

    @Test(arguments: ClientKind.allCases)
    func `without credentials every flush throws the provider's error, and no record is lost`(
        kind: ClientKind
    ) async throws {
        let server = try AcceptingServer()
        let directory = try TemporaryDirectory()
        let signedOut = try TestClient(kind, to: server.url, in: directory) { $0.provider = SignedOutProvider() }
        try await signedOut.record("text")
        for _ in 0..<20 {
            let error = await ClientError.thrown { try await signedOut.flush() }
            #expect(error?.kind == .unknown)
            #expect(error?.underlying as? SignedOutProvider.Failure == SignedOutProvider.Failure())
            #expect(error?.description.contains("No user is signed in.") == true)
        }
        #expect(server.server.requests.isEmpty)
        #expect(try await TestClient(kind, to: server.url, in: directory).flush().recordsFlushed == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `a cancelled flush throws CancellationError and keeps records without a response`(kind: ClientKind)
        async throws
    {
        let server = try LocalServer { request, index in index < 20 ? .stall : ReceivedPut(request).reply() }
        let client = try TestClient(kind, to: server.url)
        try await client.record("text")
        for count in 1...20 {
            let flush = Task { try await client.flush() }
            await server.received(count)
            flush.cancel()
            let error = await ClientError.thrown { _ = try await flush.value }
            #expect(error?.kind == .unknown && error?.underlying is CancellationError)
        }
        #expect(try await client.flush().recordsFlushed == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `a request that may succeed later is tried as often as the configuration says, and counts once`(
        kind: ClientKind
    ) async throws {
        let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
        let client = try TestClient(kind, to: server.url) {
            $0.maxAttempts = nil
            $0.maxRetries = 0
        }
        try await client.record("text")
        try await client.flush()
        #expect(server.requests.count == 3)
        #expect(try await client.clear() == 0)
    }
}
