import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// The documentation's "Flush records", sentence by sentence, and drain.
@Suite(.timeLimit(.minutes(10))) struct FlushTests {
    @Test(arguments: ClientKind.allCases)
    func `a client flushes automatically at its interval, repeatedly`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.flushStrategy = .interval(0.05) }
        try await client.record("first")
        await server.server.received(1)
        try await client.record("second")
        await server.server.received(2)
        #expect(server.texts.first == "first")
        withExtendedLifetime(client) {}
    }

    @Test(arguments: ClientKind.allCases)
    func `the first automatic flush is one interval after the client was created`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let start = ContinuousClock.now
        let client = try TestClient(kind, to: server.url) { $0.flushStrategy = .interval(0.5) }
        try await client.record("text")
        await server.server.received(1)
        #expect(ContinuousClock.now - start >= .milliseconds(500))
        withExtendedLifetime(client) {}
    }

    @Test(arguments: ClientKind.allCases)
    func `a flush sends one batch of up to 500 records per stream, the next one continues`(kind: ClientKind)
        async throws
    {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record((0..<1_100).map(String.init), to: "long")
        try await client.record(["a", "b"], to: "short")
        #expect(try await client.flush().recordsFlushed == 502)
        #expect(try await client.flush().recordsFlushed == 500)
        #expect(try await client.flush().recordsFlushed == 100)
        #expect(try await client.flush().recordsFlushed == 0)
        #expect(server.server.requests.map { ReceivedPut($0).records.count }.sorted() == [2, 100, 500, 500])
        #expect(Set(server.texts) == Set((0..<1_100).map(String.init) + ["a", "b"]) && server.texts.count == 1_102)
    }

    @Test(arguments: ClientKind.allCases)
    func `a flush during another one returns at once with flushInProgress`(kind: ClientKind) async throws {
        let gate = Gate()
        let server = try AcceptingServer { _ in gate.wait() }
        let client = try TestClient(kind, to: server.url)
        try await client.record("text")
        async let first = client.flush()
        await server.server.received(1)
        let second = try await client.flush()
        #expect(second.flushInProgress && second.recordsFlushed == 0)
        gate.open()
        let result = try await first
        #expect(!result.flushInProgress && result.recordsFlushed == 1)
        #expect(server.server.requests.count == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `flush works while the client is disabled`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record("kept")
        await client.disable()
        try await client.record("dropped")
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(server.texts == ["kept"])
    }

    @Test(arguments: ClientKind.allCases)
    func `drain sends everything, after a flush in progress`(kind: ClientKind) async throws {
        let gate = Gate()
        let server = try AcceptingServer { _ in gate.wait() }
        let client = try TestClient(kind, to: server.url)
        try await client.record((0..<1_200).map(String.init))
        async let flush = client.flush()
        await server.server.received(1)
        async let drain = client.drain()
        gate.open()
        #expect(try await flush.recordsFlushed == 500)
        #expect(try await drain.recordsFlushed == 700)
        #expect(server.texts.count == 1_200)
    }

    @Test(arguments: ClientKind.allCases)
    func `a drain that gets no answer throws, although a record failed before`(kind: ClientKind) async throws {
        let server = try LocalServer { request, index in
            index == 0 ? ReceivedPut(request).reply { $0 == "0" ? "InternalFailure" : nil } : .dropConnection
        }
        let client = try TestClient(kind, to: server.url)
        try await client.record((0..<501).map(String.init))
        await #expect(throws: (any Error).self) { try await client.drain() }
    }

    @Test(arguments: ClientKind.allCases)
    func `with flushDrains a flush sends everything`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.flushDrains = true }
        try await client.record((0..<1_200).map(String.init))
        #expect(try await client.flush().recordsFlushed == 1_200)
    }

    @Test(arguments: ClientKind.allCases)
    func `a drain tries a failed record once`(kind: ClientKind) async throws {
        let server = try LocalServer { request, _ in ReceivedPut(request).reply { $0 == "7" ? "InternalFailure" : nil }
        }
        let client = try TestClient(kind, to: server.url)
        try await client.record((0..<1_200).map(String.init))
        #expect(try await client.drain().recordsFlushed == 1_199)
        #expect(server.requests.count == 3)
        #expect(try await client.clear() == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `a flush without records sends nothing`(kind: ClientKind) async throws {
        let client = try TestClient(kind, to: "http://127.0.0.1:1")
        #expect(try await client.flush().recordsFlushed == 0)
        #expect(try await client.drain().recordsFlushed == 0)
    }

    @Test(arguments: ClientKind.allCases)
    func `1,000 streams with three records each flush without an error`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        for stream in 0..<1_000 { try await client.record(["0", "1", "2"], to: "stream-\(stream)") }
        #expect(try await client.flush().recordsFlushed == 3_000)
        #expect(server.server.requests.count == 1_000)
    }

    @Test(arguments: ClientKind.allCases)
    func `events report deliveries and progress`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        let (first, second) = (client.events(), client.events())
        try await client.record(["a", "b"])
        try await client.flush()
        for events in [first, second] {
            let received = await events.collect(2) { _ in true }
            #expect(received.first == .delivered(records: 2, streamName: "stream"))
            guard case .progress(let status)? = received.last else {
                Issue.record("no progress: \(received)")
                continue
            }
            #expect(status.recordsFlushed == 2 && status.recordsLeft == 0)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `clearCache deletes every record and counts them`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record(["a", "b", "c"], to: "one")
        try await client.record(["d"], to: "two")
        #expect(try await client.clear() == 4)
        #expect(try await client.clear() == 0)
        #expect(try await client.drain().recordsFlushed == 0)
        #expect(server.server.requests.isEmpty)
    }
}
