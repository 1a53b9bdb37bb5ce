import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// The documentation's "Enable and disable", sentence by sentence.
@Suite(.timeLimit(.minutes(10))) struct EnableAndDisableTests {
    @Test(arguments: ClientKind.allCases)
    func `a disabled client drops records silently, even invalid ones, and keeps cached ones`(kind: ClientKind)
        async throws
    {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record("before")
        await client.disable()
        try await client.record("during")
        try await client.record(Data(count: kind.recordLimit + 1), key: "", to: "")
        await client.enable()
        try await client.record("after")
        try await client.drain()
        #expect(server.texts == ["before", "after"])
    }

    @Test(arguments: ClientKind.allCases)
    func `a disabled client does not flush automatically, and resumes when it is enabled`(kind: ClientKind) async throws
    {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.flushStrategy = .interval(0.05) }
        await client.disable()
        // An enabled client of the same cache without automatic flushes.
        try await TestClient(kind, to: server.url, in: client.directory).record("cached")
        try await passes(kind, 0.3)
        #expect(server.server.requests.isEmpty)
        await client.enable()
        await server.server.received(1)
        #expect(server.server.requests.map { ReceivedPut($0).texts } == [["cached"]])
        withExtendedLifetime(client) {}
    }

    /// Returns when a client with this interval in seconds has flushed.
    private func passes(_ kind: ClientKind, _ seconds: TimeInterval) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.flushStrategy = .interval(seconds) }
        try await client.record("tick")
        await server.server.received(1)
        withExtendedLifetime(client) {}
    }

    @Test(arguments: ClientKind.allCases)
    func `rapid enabling and disabling during slow requests loses and repeats nothing`(kind: ClientKind) async throws {
        let server = try AcceptingServer { _ in Thread.sleep(forTimeInterval: 0.01) }
        let client = try TestClient(kind, to: server.url) {
            $0.flushStrategy = .interval(0.001)
            $0.maxRetries = 0
        }
        let texts = (0..<400).map(String.init)
        for text in texts {
            try await client.record(text, to: "stream-\(text.count)")
            await client.disable()
            await client.enable()
        }
        while try await client.drain().recordsFlushed > 0 {}
        #expect(server.texts.count == 400)
        #expect(Set(server.texts) == Set(texts))
    }
}
