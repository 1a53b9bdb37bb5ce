package import Foundation
import RecordFormats
import RecorderAWS
import RecorderConcurrency

/// AWS's library for Python, which reads and writes aggregated records: `aggregation_oracle.py`.
package final class AggregationOracle: Sendable {
    /// The MD5 of a record's partition key and data.
    package struct Fingerprint: Hashable, Sendable {
        let bytes: [UInt8]

        package init(key: some Sequence<UInt8>, data: some Sequence<UInt8>) {
            bytes = Digest.md5((Self.framed(Array(key)) + Self.framed(Array(data)))[...]) ?? []
        }

        fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

        fileprivate static func framed(_ part: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { Array($0) } + part
        }
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let end: ProcessEnd
    private let isWriting = Locked(())

    private init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: try LocalPython.interpreter())
        process.arguments = [LocalPython.path(of: "aggregation_oracle.py")] + arguments
        process.standardInput = input
        process.standardOutput = output
        // Another child of this process must not keep the pipe open.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        end = try ProcessEnd(starting: process)
    }

    // MARK: - what we aggregate

    /// A reader of aggregated records.
    package static func reader() throws -> AggregationOracle { try AggregationOracle(["read"]) }

    /// Passes an entry of a request on. Blocks while the library is busy.
    package func read(key: String, data: Data) throws {
        let bytes = Fingerprint.framed(Array(key.utf8)) + Fingerprint.framed(Array(data))
        try isWriting.withLock { _ in try input.fileHandleForWriting.write(contentsOf: Data(bytes)) }
    }

    /// Ends the input. Call it once; `fingerprints` then comes to an end.
    package func finish() throws { try input.fileHandleForWriting.close() }

    /// Calls `body` with the fingerprint of each record that the library found, until all entries are read.
    ///
    /// - Throws: `MotoFailure` if the library fails, or finds a record that belongs to another shard than its entry.
    package func fingerprints(_ body: @escaping @Sendable (Fingerprint) -> Void) async throws {
        try await read { (output) throws in
            while let bytes = try output.next(16) { body(Fingerprint(bytes)) }
        }
    }

    /// What the library makes of each entry: the fingerprints of its records, without keys that are not UTF-8; nil if it is not
    /// aggregated.
    package static func findings(of entries: [[UInt8]]) async throws -> [[Fingerprint]?] {
        let oracle = try AggregationOracle(["findings"])
        let findings = Locked<[[Fingerprint]?]>([])
        async let reading: Void = oracle.read { (output) throws in
            while let head = try output.next(4) {
                let count = try output.number(head)
                let isWhole = count == Int(UInt32.max)
                let prints = try (0..<(isWhole ? 0 : count)).map { _ in Fingerprint(try output.next(16) ?? []) }
                findings.withLock { $0.append(isWhole ? nil : prints) }
            }
        }
        for entry in entries { try oracle.read(key: "k", data: Data(entry)) }
        try oracle.finish()
        try await reading
        return findings.withLock { $0 }
    }

    // MARK: - what the library aggregates

    /// Calls `body` with the data of each entry that the library wrote, and the fingerprints of its records.
    package static func write(
        records: Int,
        seed: UInt64,
        _ body: @escaping @Sendable ([UInt8], [Fingerprint]) -> Void
    ) async throws {
        let oracle = try AggregationOracle(["write", "\(records)", "\(seed)"])
        try await oracle.read { (output) throws in
            while let head = try output.next(4) {
                _ = try output.next(output.number(head))
                let data = try output.next(output.number(output.next(4))) ?? []
                let count = try output.number(output.next(4))
                body(data, try (0..<count).map { _ in Fingerprint(try output.next(16) ?? []) })
            }
        }
    }

    private func read(_ body: @escaping @Sendable (Output) throws -> Void) async throws {
        let output = Output(output.fileHandleForReading)
        let result = await onDedicatedThread { Result { try body(output) } }
        await end.finished()
        try result.get()
        guard process.terminationStatus == 0 else {
            throw MotoFailure("aggregation_oracle.py ended with status \(process.terminationStatus)")
        }
    }

    /// Reads parts of known sizes.
    private final class Output: @unchecked Sendable {
        // Safe because one thread uses it.
        private let file: FileHandle
        private var buffer: [UInt8] = []
        private var position = 0

        init(_ file: FileHandle) { self.file = file }

        /// The next bytes; nil at the end.
        func next(_ count: Int) throws -> [UInt8]? {
            while buffer.count - position < count {
                guard let more = try file.read(upToCount: 1 << 20), !more.isEmpty else {
                    guard position == buffer.count else { throw MotoFailure("the output was cut off") }
                    return count == 0 ? [] : nil
                }
                buffer.removeFirst(position)
                position = 0
                buffer.append(contentsOf: more)
            }
            defer { position += count }
            return Array(buffer[position..<position + count])
        }

        func number(_ bytes: [UInt8]?) throws -> Int {
            guard let bytes, bytes.count == 4 else { throw MotoFailure("the output was cut off") }
            return bytes.reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
