import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation
import RecorderTestSupport
import Testing

/// "Error handling", and what a wrong use gets: the documented case, texts that help, nothing stored.
@Suite struct ErrorTests {
    @Test(arguments: ClientKind.allCases)
    func `an oversized record is a validation error that names size and limit`(side: ClientKind) async throws {
        let client = try TestClient(side, to: "http://127.0.0.1:1") { $0.cacheMaxBytes = 64 << 20 }
        let trouble = await Trouble.of { try await client.record(Data(count: side.recordLimit + 1), key: "k") }
        #expect(trouble?.kind == .validation)
        #expect(trouble?.description.contains("\(side.recordLimit)") == true)
        #expect(trouble?.suggestion.contains("Split") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ["", String(repeating: "k", count: 257), String(repeating: "🇩🇪", count: 129)])
    func `a partition key that is empty or over 256 scalars is a validation error`(key: String) async throws {
        let client = try TestClient(.kinesis, to: "http://127.0.0.1:1")
        let trouble = await Trouble.of { try await client.record(Data([1]), key: key) }
        #expect(trouble?.kind == .validation)
        #expect(trouble?.description.contains("\(key.unicodeScalars.count)") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases, ["", "a/b", "über", String(repeating: "s", count: 129)])
    func `a stream name that no stream can have is a validation error`(side: ClientKind, name: String) async throws {
        let client = try TestClient(side, to: "http://127.0.0.1:1")
        let trouble = await Trouble.of { try await client.record(Data([1]), to: name) }
        #expect(trouble?.kind == .validation)
        #expect(trouble?.suggestion.contains("stream's name") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases)
    func `a full cache is cacheLimitExceeded until it is flushed or cleared`(side: ClientKind) async throws {
        let server = try TakingServer()
        let client = try TestClient(side, to: server.url) { $0.cacheMaxBytes = 1_000 }
        try await client.record(Data(count: 997))
        let trouble = await Trouble.of { try await client.record(Data(count: 997)) }
        #expect(trouble?.kind == .cacheLimitExceeded)
        #expect(trouble?.suggestion.contains("flush()") == true && trouble?.suggestion.contains("clearCache()") == true)
        #expect(try await client.flush().recordsFlushed == 1)
        try await client.record(Data(count: 997))
        #expect(try await client.clear() == 1)
        try await client.record(Data(count: 997))
    }

    @Test(arguments: ClientKind.allCases)
    func `a store that cannot be written is a cache error that names its directory`(side: ClientKind) async throws {
        let directory = try TemporaryDirectory()
        let blocked = directory.path("file")
        try Data().write(to: URL(fileURLWithPath: blocked))
        let client = try TestClient(side, to: "http://127.0.0.1:1") {
            $0.storeDirectory = URL(fileURLWithPath: blocked)
        }
        for trouble in [
            await Trouble.of { try await client.record(Data([1])) }, await Trouble.of { try await client.flush() },
            await Trouble.of { _ = try await client.clear() },
        ] {
            #expect(trouble?.kind == .cache)
            #expect(trouble?.description.contains(blocked) == true)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `an option that cannot be used is a validation error of the initializer`(side: ClientKind) async throws {
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
            let trouble = await Trouble.of { _ = try TestClient(side, to: "http://127.0.0.1:1", adjust) }
            #expect(trouble?.kind == .validation)
            #expect(trouble?.description.contains(word) == true, "\(trouble?.description ?? "") lacks \(word)")
            #expect(trouble?.suggestion.isEmpty == false)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `extreme options are no trouble`(side: ClientKind) async throws {
        let server = try TakingServer()
        let client = try TestClient(side, to: server.url) {
            $0.cacheMaxBytes = .max
            $0.maxRetries = .max
            $0.flushStrategy = .interval(.greatestFiniteMagnitude)
        }
        try await client.record("text")
        #expect(try await client.flush().recordsFlushed == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `localizedDescription says what went wrong and how to mend it`(side: ClientKind) async throws {
        let client = try TestClient(side, to: "http://127.0.0.1:1")
        let trouble = await Trouble.of { try await client.record(Data([1]), to: "") }
        #expect(trouble?.localized == "\(trouble?.description ?? "") \(trouble?.suggestion ?? "")")
    }

    @Test func `an error made from an error of its kind is that error`() {
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
