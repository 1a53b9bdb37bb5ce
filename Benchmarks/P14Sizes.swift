import Foundation
import RecorderTestSupport

/// What the recorder takes: on the disk for each record, in memory while it waits, and `kinesis-recorder` itself.
let p14Sizes = Benchmark(
    name: "P14",
    about: "sizes: disk, memory, program",
    needsQuiet: false,
    quickDecides: false
) { effort in
    let records = try [(name: "1KB", bytes: 1_024, target: 1_100.0), (name: "200B", bytes: 200, target: 230.0)].map {
        size in
        let lines = try LineFile(effort.drained, bytes: size.bytes)
        let bytes = try Double(lines.store().bytesOnDisk) / Double(lines.count)
        return Figure(
            "P14 bytes on disk a record, \(size.name)",
            bytes,
            "bytes",
            atMost: size.target,
            "of \(size.bytes) bytes of data"
        )
    }
    return try records + [idleMemory()] + packages()
}

/// The private memory of a `kinesis-recorder save` that has stored a line of its standard input and waits for the next.
private func idleMemory() throws -> Figure {
    let store = try ScratchDirectory()
    let input = Pipe()
    let process = try Tool().startSaving(in: store, from: input)
    try input.fileHandleForWriting.write(contentsOf: Payload.data(200) + [UInt8(ascii: "\n")])
    let harness = try PipelineHarness(in: store.path)
    while try harness.records() == 0 { usleep(10_000) }
    let bytes = Meter.privateBytes(of: process.processIdentifier)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return Figure("P14 memory while idle", Double(bytes) / 1e6, "MB", atMost: 3, "private and written to")
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
    let program = try megabytes(of: unpacked.path("usr/bin/kinesis-recorder"))
    let tool = Figure("P14 program", program, "MB", atMost: 20, "stripped")
    guard let deb = names.first(where: { $0.hasSuffix(".deb") }) else { return [tool] }
    let package = try megabytes(of: "\(folder)/\(deb)")
    return [tool, Figure("P14 .deb", package, "MB", atMost: 6, "compressed")]
}

private func megabytes(of path: String) throws -> Double {
    try Double(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) / 1e6
}
