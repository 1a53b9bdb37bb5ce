import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct FilePositionTests {
    private func position(_ inode: UInt64 = 7, offset: Int, stream: String = "stream") -> FilePosition {
        var position = FilePosition(stream: stream, pattern: "/var/log/app*")
        position.path = "/var/log/app.log"
        (position.device, position.inode, position.birth, position.boot) = (64_768, inode, 1_234, "boot 1")
        position.head = [UInt8]("first".utf8).withUnsafeBytes { FilePosition.Fingerprint(of: $0) }
        position.tail = [UInt8]("last".utf8).withUnsafeBytes { FilePosition.Fingerprint(of: $0) }
        (position.offset, position.sum) = (offset, ContentSum(before: offset))
        return position
    }

    private func lines(_ texts: [String]) -> PayloadList {
        var (bytes, ranges): ([UInt8], [Range<Int>]) = ([], [])
        for text in texts {
            ranges.append(bytes.count..<bytes.count + text.utf8.count)
            bytes += text.utf8
        }
        return PayloadList(bytes: bytes, ranges: ranges)
    }

    private func save(
        _ texts: [String],
        _ changes: FilePositionChanges,
        in harness: PipelineHarness,
        sequence: SaveSequence? = nil
    ) async -> Result<Void, RecorderError> {
        await withCheckedContinuation { continuation in
            harness.pipeline.save(
                lines(texts),
                stream: "stream",
                partitionKey: "k",
                sequence: sequence,
                filePositions: changes
            ) { continuation.resume(returning: $0) }
        }
    }

    @Test func `a position is stored with its lines, replaced by later ones, and forgotten`() async throws {
        let harness = try PipelineHarness()
        #expect(try harness.pipeline.filePositions().positions == [])
        try await save(["a", "b"], .init(stored: [position(offset: 4)]), in: harness).get()
        try await save(["c"], .init(stored: [position(offset: 6), position(8, offset: 1)]), in: harness).get()
        let other = try PipelineHarness(in: harness.directory)
        let found = try other.pipeline.filePositions()
        #expect(Set(found.positions) == [position(offset: 6), position(8, offset: 1)])
        #expect(found.lostBefore == nil)
        try await save([], .init(forgotten: [position(offset: 6).id]), in: other).get()
        #expect(try harness.pipeline.filePositions().positions == [position(8, offset: 1)])
        #expect(try harness.storedTexts() == ["a", "b", "c"])
    }

    @Test func `lines that a full store refuses leave the position where it was, and stop later lines`() async throws {
        let harness = try PipelineHarness { policy in
            policy.limits.bytes = 10
            policy.limits.overflow = .refusesByContent
        }
        let sequence = SaveSequence()
        try await save(["12345"], .init(stored: [position(offset: 6)]), in: harness, sequence: sequence).get()
        async let refused = save(["1234567"], .init(stored: [position(offset: 14)]), in: harness, sequence: sequence)
        guard case .failure(.storeFull) = await refused else {
            Issue.record("not refused")
            return
        }
        async let later = save(["1"], .init(stored: [position(offset: 16)]), in: harness, sequence: sequence)
        guard case .failure(.storeFull) = await later else {
            Issue.record("not refused")
            return
        }
        #expect(try harness.pipeline.filePositions().positions == [position(offset: 6)])
        #expect(try harness.storedTexts() == ["12345"])
        // Positions alone fit into a full store.
        try await save([], .init(stored: [position(offset: 5)]), in: harness).get()
        #expect(try harness.pipeline.filePositions().positions == [position(offset: 5)])
    }

    @Test func `a position that is stored without lines after a full segment leaves the store sound`() async throws {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        let large = String(repeating: "x", count: 200_000)
        try await harness.saveAll(Array(repeating: large, count: 3))
        try await save([], .init(stored: [position(offset: 1)]), in: harness).get()
        #expect(try await harness.flush().delivered == 3)
        let other = try PipelineHarness(in: harness.directory)
        try await save(["a"], .init(stored: [position(offset: 2)]), in: other).get()
        #expect(try other.pipeline.filePositions().positions == [position(offset: 2)])
        #expect(try other.storedTexts() == ["a"])
        #expect(other.events.rescues.isEmpty && harness.events.rescues.isEmpty)
    }

    @Test func `clearing a store keeps the positions`() async throws {
        let harness = try PipelineHarness()
        try await save(["a"], .init(stored: [position(offset: 2)]), in: harness).get()
        #expect(try await harness.clear() == 1)
        #expect(try harness.pipeline.filePositions().positions == [position(offset: 2)])
    }

    @Test func `an altered position is no position, and named`() async throws {
        let harness = try PipelineHarness()
        try await save(["a"], .init(stored: [position(offset: 2), position(8, offset: 9)]), in: harness).get()
        try SQLiteConnection(path: harness.path, access: .readWrite)
            .execute("UPDATE file_position SET offset = 3 WHERE inode = 7")
        let found = try harness.pipeline.filePositions()
        #expect(found.positions == [position(8, offset: 9)])
        #expect(found.damaged == [position(offset: 2).id])
    }

    @Test func `the positions of one stream are found among those of others`() async throws {
        let harness = try PipelineHarness()
        let (ours, others) = (position(offset: 2), position(offset: 9, stream: "other"))
        try await save(["a"], .init(stored: [ours, others]), in: harness).get()
        #expect(try harness.pipeline.filePositions(of: "stream").positions == [ours])
        #expect(try harness.pipeline.filePositions(of: "other").positions == [others])
        #expect(try harness.pipeline.filePositions(of: "third").positions == [])
        #expect(try harness.pipeline.filePositions(except: [ours.id]).positions == [others])
        #expect(try harness.pipeline.filePositions().positions.count == 2)
    }

    /// Rescues a store of which `damage` is all that is wrong.
    private func rescued(_ damage: String) async throws -> FilePositions {
        let origin = try PipelineHarness()
        let mark = FilePosition(stream: "stream", pattern: "/var/log/app*")
        try await save(["a"], .init(stored: [mark, position(offset: 2), position(8, offset: 9)]), in: origin).get()
        let connection = try SQLiteConnection(path: origin.path, access: .readWrite)
        try connection.execute("\(damage); DELETE FROM stream WHERE number = 0")
        try connection.checkpoint(.truncate)
        let harness = try PipelineHarness(in: origin.directory)
        try await harness.save("goes on")
        #expect(harness.events.rescues.count == 1)
        return try harness.pipeline.filePositions()
    }

    @Test func `a rescue keeps the positions`() async throws {
        let found = try await rescued("SELECT 1")
        #expect(found.positions.count { !$0.isPatternMark } == 2)
        #expect(found.positions.count(where: \.isPatternMark) == 1)
        #expect(found.lostBefore == nil)
    }

    @Test(arguments: [
        "UPDATE file_position SET path = 'x' WHERE inode = 7", "ALTER TABLE file_position RENAME COLUMN sum TO s",
    ])
    func `a rescue that cannot read a position says so, and forgets that the pattern was followed`(
        damage: String
    ) async throws {
        let found = try await rescued(damage)
        #expect(found.lostBefore != nil)
        #expect(found.positions.allSatisfy { !$0.isPatternMark && $0.inode != 7 })
        #expect(found.damaged == [])
    }

    @Test func `one claim of a file is held at a time, and ends with its holder`() throws {
        let harness = try PipelineHarness()
        let other = try PipelineHarness(in: harness.directory).pipeline.fileClaims()
        var claims: FileClaims? = harness.pipeline.fileClaims()
        #expect(try claims?.claim(5) == true)
        #expect(try claims?.claim(5) == false)
        #expect(try other.claim(5) == false)
        #expect(try other.claim(6))
        claims?.release(5)
        #expect(try other.claim(5))
        #expect(try claims?.claim(7) == true)
        #expect(try other.claim(7) == false)
        claims = nil
        #expect(try other.claim(7))
    }
}
