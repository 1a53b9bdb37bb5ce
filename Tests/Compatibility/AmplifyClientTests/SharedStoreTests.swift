import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// Clients for one region share a cache, within a process and across processes.
@Suite(.timeLimit(.minutes(10))) struct SharedStoreTests {
    @Test(arguments: ClientKind.allCases)
    func `two clients of one region deliver everything once`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let directory = try TemporaryDirectory()
        let clients = try (0..<2).map { _ in try TestClient(kind, to: server.url, in: directory) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, client) in clients.enumerated() {
                group.addTask {
                    for part in 0..<10 {
                        try await client.record((0..<50).map { "\(number)-\(part)-\($0)" }, to: "stream-\(part % 3)")
                        try await client.flush()
                    }
                }
            }
            try await group.waitForAll()
        }
        for client in clients { try await client.drain() }
        #expect(server.texts.count == 1_000)
        #expect(Set(server.texts).count == 1_000)
    }

    @Test(arguments: ClientKind.allCases)
    func `clients that name one directory by different links share its cache`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let directory = try TemporaryDirectory()
        let real = directory.path("real")
        try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
        let names = [real, directory.path("link"), directory.path("linked/below")]
        try FileManager.default.createSymbolicLink(atPath: names[1], withDestinationPath: "real")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("linked"),
            withDestinationPath: directory.path
        )
        try FileManager.default.createSymbolicLink(atPath: directory.path("below"), withDestinationPath: names[1])
        for (number, name) in names.enumerated() {
            let client = try TestClient(kind, to: server.url, in: directory) {
                $0.storeDirectory = URL(fileURLWithPath: name)
            }
            try await client.record("\(number)")
        }
        let last = try TestClient(kind, to: server.url, in: directory) {
            $0.storeDirectory = URL(fileURLWithPath: real)
        }
        try await last.flush()
        #expect(server.texts.sorted() == ["0", "1", "2"])
    }

    @Test(arguments: ClientKind.allCases)
    func `while one client flushes, the other one's flush returns flushInProgress`(kind: ClientKind) async throws {
        let gate = Gate()
        let server = try AcceptingServer { _ in gate.wait() }
        let client = try TestClient(kind, to: server.url)
        let other = try TestClient(kind, to: server.url, in: client.directory)
        try await client.record("text")
        async let flush = client.flush()
        await server.server.received(1)
        #expect(try await other.flush().flushInProgress)
        gate.open()
        #expect(try await flush.recordsFlushed == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `clients of two processes deliver everything once`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let directory = try TemporaryDirectory()
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in 0..<2 {
                group.addTask {
                    let arguments = [kind.rawValue, server.url, directory.path, "\(number)", "500"]
                    return try await BuiltProgram.run("AmplifyChild", arguments).status
                }
            }
            for try await status in group { #expect(status == 0) }
        }
        #expect(server.texts.count == 1_000)
        #expect(Set(server.texts).count == 1_000)
    }

    @Test(arguments: ClientKind.allCases)
    func `clients for two regions have separate caches`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        let other = try TestClient(kind, to: server.url, in: client.directory) { $0.region = "eu-west-1" }
        try await client.record("text")
        #expect(try await other.flush().recordsFlushed == 0)
        #expect(try await client.flush().recordsFlushed == 1)
        let files = try FileManager.default.contentsOfDirectory(atPath: client.directory.path)
        #expect(files.contains("amplify-\(kind)-us-east-1.db") && files.contains("amplify-\(kind)-eu-west-1.db"))
    }

    @Test(arguments: ClientKind.allCases)
    func `a new client finds the records of an earlier one, failures included`(kind: ClientKind) async throws {
        let server = try LocalServer { _, _ in .error(400, "AccessDeniedException") }
        let directory = try TemporaryDirectory()
        try await TestClient(kind, to: server.url, in: directory).record("text")
        for _ in 0..<3 {
            let client = try TestClient(kind, to: server.url, in: directory) { $0.maxRetries = 2 }
            try await client.flush()
        }
        #expect(server.requests.count == 3)
        #expect(try await TestClient(kind, to: server.url, in: directory).clear() == 0)
    }
}
