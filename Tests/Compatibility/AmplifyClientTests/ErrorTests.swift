import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation
import RecorderTestSupport
import Testing

/// The documentation's "Error handling": each misuse is the documented case with a helpful text, and stores nothing.
@Suite struct ErrorTests {
    @Test(arguments: ClientKind.allCases)
    func `an oversized record is a validation error that names size and limit`(kind: ClientKind) async throws {
        let client = try TestClient(kind, to: "http://127.0.0.1:1") { $0.cacheMaxBytes = 64 << 20 }
        let error = await ClientError.thrown { try await client.record(Data(count: kind.recordLimit + 1), key: "k") }
        #expect(error?.kind == .validation)
        #expect(error?.description.contains("\(kind.recordLimit)") == true)
        #expect(error?.suggestion.contains("Split") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ["", String(repeating: "k", count: 257), String(repeating: "🇩🇪", count: 129)])
    func `a partition key that is empty or over 256 scalars is a validation error`(key: String) async throws {
        let client = try TestClient(.kinesis, to: "http://127.0.0.1:1")
        let error = await ClientError.thrown { try await client.record(Data([1]), key: key) }
        #expect(error?.kind == .validation)
        #expect(error?.description.contains("\(key.unicodeScalars.count)") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases, ["", "a/b", "über", String(repeating: "s", count: 129)])
    func `an invalid stream name is a validation error`(kind: ClientKind, name: String) async throws {
        let client = try TestClient(kind, to: "http://127.0.0.1:1")
        let error = await ClientError.thrown { try await client.record(Data([1]), to: name) }
        #expect(error?.kind == .validation)
        #expect(error?.suggestion.contains("stream's name") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases)
    func `a full cache is cacheLimitExceeded until it is flushed or cleared`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.cacheMaxBytes = 1_000 }
        try await client.record(Data(count: 997))
        let error = await ClientError.thrown { try await client.record(Data(count: 997)) }
        #expect(error?.kind == .cacheLimitExceeded)
        #expect(error?.suggestion.contains("flush()") == true && error?.suggestion.contains("clearCache()") == true)
        #expect(try await client.flush().recordsFlushed == 1)
        try await client.record(Data(count: 997))
        #expect(try await client.clear() == 1)
        try await client.record(Data(count: 997))
    }

    @Test(arguments: ClientKind.allCases)
    func `a store that cannot be written is a cache error that names its directory`(kind: ClientKind) async throws {
        let directory = try TemporaryDirectory()
        let blocked = directory.path("file")
        try Data().write(to: URL(fileURLWithPath: blocked))
        let client = try TestClient(kind, to: "http://127.0.0.1:1") {
            $0.storeDirectory = URL(fileURLWithPath: blocked)
        }
        for error in [
            await ClientError.thrown { try await client.record(Data([1])) },
            await ClientError.thrown { try await client.flush() },
            await ClientError.thrown { _ = try await client.clear() },
        ] {
            #expect(error?.kind == .cache)
            #expect(error?.description.contains(blocked) == true)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `an invalid option is a validation error of the initializer`(kind: ClientKind) async throws {
        let rows: [(String, @Sendable (inout TestOptions) -> Void)] = [
            ("a/b", { $0.region = "a/b" }), ("\"\"", { $0.region = "" }),
            ("-1.0 seconds", { $0.flushStrategy = .interval(-1) }),
            ("0.0 seconds", { $0.flushStrategy = .interval(0) }),
            ("nan seconds", { $0.flushStrategy = .interval(.nan) }),
            ("inf seconds", { $0.flushStrategy = .interval(.infinity) }),
            ("cacheMaxBytes is -1", { $0.cacheMaxBytes = -1 }), ("maxRetries is -1", { $0.maxRetries = -1 }),
            ("storeDirectory", { $0.storeDirectory = URL(string: "https://example.com/records") }),
        ]
        for (word, adjust) in rows {
            let error = await ClientError.thrown { _ = try TestClient(kind, to: "http://127.0.0.1:1", adjust) }
            #expect(error?.kind == .validation)
            #expect(error?.description.contains(word) == true, "\(error?.description ?? "") lacks \(word)")
            #expect(error?.suggestion.isEmpty == false)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `extreme options are valid`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) {
            $0.cacheMaxBytes = .max
            $0.maxRetries = .max
            $0.flushStrategy = .interval(.greatestFiniteMagnitude)
        }
        try await client.record("text")
        #expect(try await client.flush().recordsFlushed == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `localizedDescription contains what went wrong and how to fix it`(kind: ClientKind) async throws {
        let client = try TestClient(kind, to: "http://127.0.0.1:1")
        let error = await ClientError.thrown { try await client.record(Data([1]), to: "") }
        #expect(error?.localized == "\(error?.description ?? "") \(error?.suggestion ?? "")")
    }

    @Test func `an error created from an error of its own type is that error`() {
        let error = KinesisError.cache("description", "suggestion")
        let same = KinesisError(errorDescription: "other", recoverySuggestion: "other", error: error)
        #expect(same.errorDescription == "description" && same.recoverySuggestion == "suggestion")
        let other = FirehoseError(errorDescription: "one", recoverySuggestion: "two", error: error)
        guard case .unknown("one", "two", let cause) = other else {
            Issue.record("not unknown: \(other)")
            return
        }
        #expect(cause is KinesisError)
    }
}
