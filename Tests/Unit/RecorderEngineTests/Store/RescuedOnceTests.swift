import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import Testing

@Suite struct RescuedOnceTests {
    /// As the disk might: the file opens, but is no store that can be used.
    private func damage(_ path: String) throws {
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        try connection.execute("ALTER TABLE segment RENAME first_bytes TO first_bytez")
    }

    private func filesPutAside(_ directory: TemporaryDirectory) throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return Set(names.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") }.map { directory.path($0) })
    }

    @Test(arguments: ["this process", "another one"])
    func `a file that was mended while another save met the same damage is not rescued again`(by: String) async throws {
        let first = try PipelineHarness()
        try await first.saveAll(["1", "2", "3"])
        try damage(first.path)
        let asked = Locked(0)
        let other = Locked<PipelineHarness?>(nil)
        let harness = try PipelineHarness(
            in: first.directory,
            whenLocating: {
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                // The first time it opens the file and meets the damage; the second time it is about to mend it.
                guard count == 2 else { return }
                _ = try? other.withLock { $0 }?.records()
            }
        )
        // A second store at the same path knows as little of this one as another process does.
        let another = try PipelineHarness(in: first.directory)
        other.withLock { $0 = by == "this process" ? harness : another }
        try await harness.save("4")
        #expect((harness.events.rescues + another.events.rescues).map(\.rescued) == [3])
        #expect(try filesPutAside(first.directory).count == 1)
        #expect(try harness.storedTexts() == ["1", "2", "3", "4"])
        #expect(try harness.pipeline.totals().saved == 4)
        other.withLock { $0 = nil }
    }

    @Test func `each damaged file is kept, however soon one comes after another`() async throws {
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
        #expect(try filesPutAside(first.directory) == Set(rescues.map(\.movedTo)))
        for rescue in rescues {
            let aside = try SQLiteConnection(path: rescue.movedTo, access: .readOnly)
            #expect(try aside.integer("SELECT count(*) FROM record_1") == Int64(rescue.rescued))
        }
    }
}
