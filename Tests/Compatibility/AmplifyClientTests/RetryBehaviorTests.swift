import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// "Retry behavior", sentence by sentence.
@Suite(.timeLimit(.minutes(10))) struct RetryBehaviorTests {
    @Test(
        arguments: ClientKind.allCases,
        [
            "ProvisionedThroughputExceededException", "InternalFailure", "ServiceUnavailableException",
            "InvalidRecordException", "NobodyKnows",
        ]
    )
    func `a record failed with any code is sent again by the next flush, its neighbours are not`(
        side: ClientKind,
        code: String
    ) async throws {
        let server = try LocalServer { request, index in
            Put(request).taken { index == 0 && $0 == "bad" ? code : nil }
        }
        let client = try TestClient(side, to: server.url)
        for text in ["good", "bad", "fine"] { try await client.record(text) }
        #expect(try await client.flush().recordsFlushed == 2)
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(server.requests.map { Put($0).texts } == [["good", "bad", "fine"], ["bad"]])
    }

    @Test(arguments: ClientKind.allCases, [0, 1, 5])
    func `a failed record is deleted by failure number maxRetries plus one, and told`(
        side: ClientKind,
        maxRetries: Int
    ) async throws {
        let server = try LocalServer { request, _ in Put(request).taken { _ in "InternalFailure" } }
        let client = try TestClient(side, to: server.url) { $0.maxRetries = maxRetries }
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
    func `five retries are the default`(side: ClientKind) async throws {
        let server = try LocalServer { _, _ in .error(400, "AccessDeniedException") }
        let client = try TestClient(side, to: server.url)
        try await client.record("refused")
        for _ in 0..<5 { try await client.flush() }
        #expect(try await client.clear() == 1)
        try await client.record("refused")
        for _ in 0..<6 { try await client.flush() }
        #expect(try await client.clear() == 0)
    }

    @Test(
        arguments: ClientKind.allCases,
        ["AccessDeniedException", "ResourceNotFoundException", "InternalFailure", "NobodyKnows"]
    )
    func `a stream that the service refuses is skipped, the others are sent, and the flush succeeds`(
        side: ClientKind,
        code: String
    ) async throws {
        let server = try LocalServer { request, _ in
            let put = Put(request)
            return put.stream == "refused" ? .error(code == "InternalFailure" ? 500 : 400, code) : put.taken()
        }
        let client = try TestClient(side, to: server.url)
        let events = client.events()
        for stream in ["a", "refused", "z"] { try await client.record("text", to: stream) }
        #expect(try await client.flush().recordsFlushed == 2)
        let retried = await events.collect(1) { if case .retried = $0 { true } else { false } }
        guard case .retried(1, "refused", let reason)? = retried.first else {
            Issue.record("not told: \(retried)")
            return
        }
        #expect(reason.contains(code))
        #expect(try await client.clear() == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `one invalid record among 500 counts an attempt a flush, its neighbours go at once`(side: ClientKind)
        async throws
    {
        let server = try LocalServer { request, _ in
            let put = Put(request)
            return put.texts.contains("250") ? .error(400, "InvalidArgumentException") : put.taken()
        }
        let client = try TestClient(side, to: server.url) { $0.maxRetries = 1 }
        for text in 0..<500 { try await client.record("\(text)") }
        #expect(try await client.flush().recordsFlushed == 499)
        #expect(server.requests.count <= 20)
        try await client.flush()
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases)
    func `without network a flush throws, and no number of them costs a record`(side: ClientKind) async throws {
        let directory = try TemporaryDirectory()
        let offline = try TestClient(side, to: "http://127.0.0.1:1", in: directory) { $0.cacheMaxBytes = 64 << 20 }
        try await offline.record((0..<1_200).map(String.init))
        for _ in 0..<100 {
            let trouble = await Trouble.of { try await offline.flush() }
            #expect(trouble?.kind == .unknown)
        }
        let server = try TakingServer()
        let online = try TestClient(side, to: server.url, in: directory)
        #expect(try await online.drain().recordsFlushed == 1_200)
        #expect(Set(server.texts) == Set((0..<1_200).map(String.init)) && server.texts.count == 1_200)
    }

    @Test(arguments: ClientKind.allCases)
    func `without credentials a flush throws the provider's error, and no number of them costs a record`(
        side: ClientKind
    ) async throws {
        let server = try TakingServer()
        let directory = try TemporaryDirectory()
        let signedOut = try TestClient(side, to: server.url, in: directory) { $0.provider = SignedOut() }
        try await signedOut.record("text")
        for _ in 0..<20 {
            let trouble = await Trouble.of { try await signedOut.flush() }
            #expect(trouble?.kind == .unknown)
            #expect(trouble?.underlying as? SignedOut.Failure == SignedOut.Failure())
            #expect(trouble?.description.contains("Nobody is signed in.") == true)
        }
        #expect(server.server.requests.isEmpty)
        #expect(try await TestClient(side, to: server.url, in: directory).flush().recordsFlushed == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `a cancelled flush throws CancellationError and keeps what has no answer`(side: ClientKind) async throws {
        let server = try LocalServer { request, index in index < 20 ? .stall : Put(request).taken() }
        let client = try TestClient(side, to: server.url)
        try await client.record("text")
        for count in 1...20 {
            let flush = Task { try await client.flush() }
            await server.received(count)
            flush.cancel()
            let trouble = await Trouble.of { _ = try await flush.value }
            #expect(trouble?.kind == .unknown && trouble?.underlying is CancellationError)
        }
        #expect(try await client.flush().recordsFlushed == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `a request that may pass is tried as often as the configuration says, and counts once`(
        side: ClientKind
    ) async throws {
        let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
        let client = try TestClient(side, to: server.url) {
            $0.maxAttempts = nil
            $0.maxRetries = 0
        }
        try await client.record("text")
        try await client.flush()
        #expect(server.requests.count == 3)
        #expect(try await client.clear() == 0)
    }
}

extension AsyncStream<RecordEvent> {
    /// The next events that `isWanted`.
    func collect(_ count: Int, _ isWanted: (RecordEvent) -> Bool) async -> [RecordEvent] {
        var found: [RecordEvent] = []
        for await event in self where isWanted(event) {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}
