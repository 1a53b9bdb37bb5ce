import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Where a store's files are, and what they are.
@Suite(.timeLimit(.minutes(5))) struct StorePlaceTests {
    private static func pipeline(at place: @escaping @Sendable () -> String) -> RecordPipeline {
        RecordPipeline(
            .kinesis,
            store: RecordStore(at: { StoreLocation(directory: place(), fileName: "kinesis.db") }),
            policy: .legacy,
            caller: { () throws(ConfigurationFailure) in throw ConfigurationFailure("nothing is sent here") },
            emit: { _ in }
        )
    }

    private static func save(_ text: String, in pipeline: RecordPipeline) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            pipeline.save(Data(text.utf8), stream: "stream", partitionKey: nil) { done.resume(with: $0) }
        }
    }

    @Test func `a store stays where it was opened, with its lease and its claims, whatever names another directory`()
        async throws
    {
        let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
        let place = Locked(first.path)
        let pipeline = Self.pipeline { place.withLock { $0 } }
        try await Self.save("one", in: pipeline)
        place.withLock { $0 = second.path }
        _ = try? await pipeline.flush()
        let claims = pipeline.fileClaims()
        #expect(try claims.claim(1))
        try await Self.save("two", in: pipeline)
        #expect(try pipeline.totals().records == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: second.path) == [])
        let files = try FileManager.default.contentsOfDirectory(atPath: first.path)
        #expect(files.contains("kinesis.db.submit") && files.contains("kinesis.db.follow"))
    }

    @Test func `a store that could not be opened is opened in the directory that the program names next`() async throws
    {
        let directory = try TemporaryDirectory()
        let place = Locked("/dev/null/no")
        let pipeline = Self.pipeline { place.withLock { $0 } }
        await #expect(throws: RecorderError.self) { try await Self.save("one", in: pipeline) }
        _ = try? await pipeline.flush()
        place.withLock { $0 = directory.path }
        try await Self.save("two", in: pipeline)
        #expect(try pipeline.totals().records == 1)
    }

    /// In a separate process, whose umask is set.
    @Test func `files are 0600 and directories 0700 under every umask`() async {
        await #expect(processExitsWith: .success) {
            for mask in [0o777, 0o000, 0o277] as [mode_t] {
                let directory = try TemporaryDirectory()
                umask(mask)
                let path = directory.path("a/b")
                let pipeline = Self.pipeline { path }
                try await Self.save("one", in: pipeline)
                _ = try? await pipeline.flush()
                _ = try pipeline.fileClaims().claim(1)
                let modes = { (path: String) in
                    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                }
                for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                    #expect(try modes("\(path)/\(name)") == 0o600, "\(name), umask \(String(mask, radix: 8))")
                }
                #expect(try modes(path) == 0o700 && modes(directory.path("a")) == 0o700)
            }
        }
    }
}
