import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RescuedOnceTests {
    /// Damages the schema: the file can be opened, but not used as a store.
    private func damage(_ path: String) throws {
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        try connection.execute("ALTER TABLE segment RENAME first_bytes TO first_bytez")
    }

    private func filesMovedAside(_ directory: TemporaryDirectory) throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return Set(names.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") }.map { directory.path($0) })
    }

    @Test(arguments: ["this process", "another one"])
    func `a file that was rescued while another save found the same damage is not rescued again`(by: String)
        async throws
    {
        let first = try PipelineHarness()
        try await first.saveAll(["1", "2", "3"])
        try damage(first.path)
        let calls = Locked(0)
        let other = Locked<PipelineHarness?>(nil)
        // Each store tells on its own thread.
        let (rescues, told) = AsyncStream.makeStream(of: Rescue.self)
        let emit: @Sendable (RecorderEvent) -> Void = { if case .rescued(let rescue) = $0 { told.yield(rescue) } }
        let harness = try PipelineHarness(
            url: nil,
            in: first.directory,
            whenLocating: {
                let count = calls.withLock { count in
                    count += 1
                    return count
                }
                // The first call opens the file and finds the damage; the second is about to rescue it.
                guard count == 2 else { return }
                _ = try? other.withLock { $0 }?.records()
            },
            emit: emit
        )
        // A second store at the same path shares no state with this one, like another process.
        let another = try PipelineHarness(url: nil, in: first.directory, emit: emit)
        other.withLock { $0 = by == "this process" ? harness : another }
        try await harness.save("4")
        #expect(await rescues.first { _ in true }?.rescued == 3)
        #expect(try filesMovedAside(first.directory).count == 1)
        #expect(try harness.storedTexts() == ["1", "2", "3", "4"])
        #expect(try harness.pipeline.totals().saved == 4)
        other.withLock { $0 = nil }
    }

    @Test func `each damaged file is kept, however quickly one follows another`() async throws {
        let first = try PipelineHarness()
        try await first.save("1")
        var rescues: [Rescue] = []
        for number in 2...4 {
            try damage(first.path)
            let harness = try PipelineHarness(in: first.directory)
            try await harness.save("\(number)")
            rescues += harness.events.rescues
        }
        #expect(rescues.map(\.rescued) == [1, 2, 3])
        #expect(try filesMovedAside(first.directory) == Set(rescues.map(\.movedTo)))
        for rescue in rescues {
            #expect(try StoredRecord.all(at: rescue.movedTo).count == rescue.rescued)
        }
    }
}
