import Foundation
import RecorderTestSupport

/// A file of equal lines.
struct LineFile {
    let count: Int
    private let directory: ScratchDirectory
    private var path: String { directory.path("lines") }

    /// Writes `count` lines, a multiple of 1,000, that become records of `bytes` bytes.
    init(_ count: Int, bytes: Int) throws {
        self.count = count
        directory = try ScratchDirectory()
        let share = 1_000
        precondition(count.isMultiple(of: share), "The lines are written \(share) at a time.")
        var lines = Data()
        for _ in 0..<share { lines += Payload.data(bytes) + [UInt8(ascii: "\n")] }
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for _ in 0..<count / share { try file.write(contentsOf: lines) }
        try file.close()
    }

    /// Stores the lines in a new store with `kinesis-recorder save --file`, each of them durably.
    func store() throws -> (cost: Cost, bytesOnDisk: Int) {
        let store = try ScratchDirectory()
        let cost = try Tool().save(count, of: path, in: store)
        let stored = try PipelineHarness(in: store.path).records()
        guard stored == count else { fatalError("kinesis-recorder stored \(stored) of \(count) lines.") }
        return (cost, try store.bytes())
    }
}
