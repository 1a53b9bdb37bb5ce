import Foundation
import RecorderTestSupport

/// What the recorder takes: on the disk for each record, in memory while it waits, and `kinesis-recorder` itself.
let p14Sizes = Benchmark(name: "P14", about: "sizes: disk, memory, program", needsQuiet: false) { effort in
    let records = try [(name: "1KB", bytes: 1_024, target: 1_100), (name: "200B", bytes: 200, target: 230)].map {
        size in
        let lines = try LineFile(effort.drained, bytes: size.bytes)
        let bytes = try lines.store().bytesOnDisk / lines.count
        return Figure(
            size: "bytes on disk a record, \(size.name)",
            bytes,
            atMost: size.target,
            unit: ("bytes", 1),
            "of \(size.bytes) bytes of data"
        )
    }
    return try records + [idleMemory()] + packages()
}

/// The memory of a `kinesis-recorder save` that has stored a line of its standard input and waits for the next.
private func idleMemory() throws -> Figure {
    let store = try ScratchDirectory()
    let input = Pipe()
    let process = try Tool().startSaving(in: store, from: input)
    try input.fileHandleForWriting.write(contentsOf: Payload.data(200) + [UInt8(ascii: "\n")])
    let harness = try PipelineHarness(in: store.path)
    while try harness.records() == 0 { usleep(10_000) }
    let bytes = Meter.residentBytes(of: process.processIdentifier)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return Figure(size: "memory while idle", bytes, atMost: 15_000_000, unit: megabytes, "resident")
}

/// The sizes of the packages that `make package` built, and of the program in them; none if there are no packages.
private func packages() throws -> [Figure] {
    let folder = "\(Program.package)/Packages"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard let tar = names.first(where: { $0.hasSuffix(".tar.gz") }) else {
        print("P14 has no sizes of the program and its package: run `make package` first.")
        return []
    }
    let unpacked = try ScratchDirectory()
    try Program.run("tar", "-xzf", "\(folder)/\(tar)", "--strip-components=1", "-C", unpacked.path)
    let program = try size(of: unpacked.path("usr/bin/kinesis-recorder"))
    let tool = Figure(size: "program", program, atMost: 18_000_000, unit: megabytes, "stripped")
    guard let deb = names.first(where: { $0.hasSuffix(".deb") }) else { return [tool] }
    let package = try size(of: "\(folder)/\(deb)")
    return [tool, Figure(size: ".deb", package, atMost: 5_000_000, unit: megabytes, "compressed")]
}

private func size(of path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
}

private let megabytes = (name: "MB", bytes: 1e6)

extension Figure {
    /// A size; its ratio is to the limit.
    fileprivate init(
        size name: String,
        _ bytes: Int,
        atMost limit: Int,
        unit: (name: String, bytes: Double),
        _ kind: String
    ) {
        self.init(
            name: "P14 \(name)",
            ratio: Double(bytes) / Double(limit),
            target: "<=\((Double(limit) / unit.bytes).formatted) \(unit.name)",
            isMet: bytes <= limit,
            behind: "\((Double(bytes) / unit.bytes).formatted) \(unit.name) \(kind)"
        )
    }
}
