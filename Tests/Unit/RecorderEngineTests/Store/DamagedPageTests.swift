import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import Testing

@testable import RecorderStore

@Suite struct DamagedPageTests {
    /// Damage to a leaf of a table: its page is empty, or also the page before it ends with the row of another stream.
    @Test(arguments: [
        [10: "empty", -10: "empty"], [0: "empty", -1: "empty"], [10: "empty", 30: "empty", -10: "empty"],
        [9: "strange", 10: "empty"], [9: "strange", 10: "empty", -10: "empty", -9: "strange"], [10: "twice"],
        [10: "twice", 20: "empty"], [10: "twice", 20: "empty", -10: "twice"],
    ])
    func `rows between damaged pages are rescued`(damage: [Int: String]) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("kinesis.db")
        let count = 200
        try await saveOneByOne(count, in: directory)
        var file = try Data(contentsOf: URL(fileURLWithPath: path))
        // The pages that are leaves of tables and have a record.
        let leaves = stride(from: 0, to: file.count, by: 4_096).filter { page in
            file[page] == 0x0D && file[page..<page + 4_096].range(of: Data(repeating: 0x78, count: 500)) != nil
        }
        try #require(leaves.count > 50)
        for (number, kind) in damage {
            let page = leaves[number < 0 ? leaves.count + number : number]
            if kind == "empty" {
                file.replaceSubrange(page..<page + 4_096, with: repeatElement(0, count: 4_096))
            } else {
                // The last row: its size in two bytes, then its id.
                let last = page + 8 + 2 * (Int(file[page + 4]) - 1)
                let row = page + Int(file[last]) << 8 + Int(file[last + 1])
                try #require(file[row + 2] == 0xA0)
                // That of the row before it is one less.
                let end = (row + 2..<row + 11).first { file[$0] < 0x80 } ?? row
                if kind == "strange" { file[row + 2] = 0xE0 } else { file[end] -= 1 }
            }
        }
        try file.write(to: URL(fileURLWithPath: path))
        let rescue = try #require(try StoreRescue(path).run(FileIdentity(path), before: .now + .seconds(1)))
        #expect(rescue.rescued >= count - 4 * damage.count, "\(rescue)")
        #expect(rescue.lost == count - rescue.rescued)
    }

    /// Saves records in blocks of their own, a few in a page.
    private func saveOneByOne(_ count: Int, in directory: TemporaryDirectory) async throws {
        let harness = try PipelineHarness(in: directory) { $0.limits.bytes = 0 }
        for number in 0..<count { try await harness.save("\(number) " + String(repeating: "x", count: 1_000)) }
        try SQLiteConnection.emptyLog(of: harness.path)
    }
}
