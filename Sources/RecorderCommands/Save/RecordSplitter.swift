import Glibc
package import RecorderEngine

/// Splits a stream of bytes into records at a delimiter. The bytes need not be text.
///
/// A record over the limit is skipped to its end and counted; it is never held in memory.
package struct RecordSplitter {
    /// A record that was skipped.
    struct Refusal: Sendable, Hashable {
        /// Counted from 1, refused records included.
        let number: Int
        let bytes: Int
    }

    /// Consecutive records, without those that were refused, and where in the input the first of them begins.
    package struct Lines: Sendable {
        package var payloads: PayloadList
        let position: Position
    }

    /// A position between two records of the input.
    package struct Position: Sendable, Comparable {
        /// The records before it, refused ones included.
        package var records = 0
        package var byte = 0

        package static func < (a: Position, b: Position) -> Bool { a.byte < b.byte }
    }

    private let delimiter: UInt8?
    private let limit: ByteCount
    private let keepsDelimiter: Bool

    /// The bytes so far of a record whose end has not been read.
    private var begun: [UInt8] = []
    /// The number of bytes skipped so far of a record that is too long.
    private var skipped = 0
    /// Where the record whose end has not been read begins.
    package private(set) var position: Position
    /// Where the next chunk begins.
    private var end: Int
    private(set) var refused: [Refusal] = []
    package private(set) var refusedCount = 0

    private static let refusalsKept = 3
    /// The most records that are passed on together.
    private static let mostRecords = 4_096

    /// - Parameters:
    ///   - delimiter: nil makes the whole input one record.
    ///   - keepsDelimiter: Whether records end with their delimiter.
    ///   - limit: The size of the largest record, with its delimiter if that is kept.
    ///   - start: Where in the file the input begins.
    package init(delimiter: UInt8?, keepsDelimiter: Bool, limit: ByteCount, start: Int = 0) {
        position = Position(byte: start)
        end = start
        self.delimiter = delimiter
        self.keepsDelimiter = keepsDelimiter && delimiter != nil
        self.limit = limit
    }

    /// Whether a record has begun whose end has not been read.
    var isWithinRecord: Bool { !begun.isEmpty || skipped > 0 }

    /// Calls `body` with the records that end in `chunk`, in order; not at all if there is none.
    package mutating func split(_ chunk: [UInt8], body: (Lines) -> Void) {
        var start = 0
        if isWithinRecord, let found = delimiter(in: chunk, from: 0) {
            endBegun(with: chunk[..<found], nextByte: end + found + 1, body: body)
            start = found + 1
        }
        var ranges: [Range<Int>] = []
        var first = position
        while let found = delimiter(in: chunk, from: start) {
            if ranges.count == Self.mostRecords {
                body(Lines(payloads: PayloadList(bytes: chunk, ranges: ranges), position: first))
                (ranges, first) = ([], position)
            }
            let range = start..<(keepsDelimiter ? found + 1 : found)
            if accepts(range.count, nextByte: end + found + 1) { ranges.append(range) }
            start = found + 1
        }
        if !ranges.isEmpty { body(Lines(payloads: PayloadList(bytes: chunk, ranges: ranges), position: first)) }
        begin(chunk[start...])
        end += chunk.count
    }

    /// Ends the last record, which may lack its delimiter. Call it at the end of the input.
    package mutating func finish(body: (Lines) -> Void) {
        guard isWithinRecord else { return }
        endBegun(with: [], nextByte: end, body: body)
    }

    private func delimiter(in chunk: [UInt8], from start: Int) -> Int? {
        guard let delimiter, start < chunk.count else { return nil }
        return unsafe chunk.withUnsafeBytes { bytes in
            // memchr compares many bytes at a time.
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let base = rest.baseAddress, let found = unsafe memchr(base, Int32(delimiter), rest.count) else {
                return nil
            }
            return unsafe start + (UnsafeRawPointer(found) - base)
        }
    }

    private mutating func begin(_ part: ArraySlice<UInt8>) {
        guard !part.isEmpty else { return }
        if skipped == 0, begun.count + part.count <= limit.bytes {
            begun += part
        } else {
            skipped += begun.count + part.count
            begun = []
        }
    }

    /// Ends the record that has begun in an earlier chunk.
    private mutating func endBegun(with part: ArraySlice<UInt8>, nextByte: Int, body: (Lines) -> Void) {
        let position = position
        let bytes = skipped + begun.count + part.count + (keepsDelimiter ? 1 : 0)
        var record = begun + part
        (begun, skipped) = ([], 0)
        guard accepts(bytes, nextByte: nextByte) else { return }
        if keepsDelimiter, let delimiter { record.append(delimiter) }
        let range = 0..<record.count
        body(Lines(payloads: PayloadList(bytes: record, ranges: [range]), position: position))
    }

    /// Counts a record of so many bytes; whether it is within the limit.
    private mutating func accepts(_ bytes: Int, nextByte: Int) -> Bool {
        position = Position(records: position.records + 1, byte: nextByte)
        guard bytes > limit.bytes else { return true }
        refusedCount += 1
        if refused.count < Self.refusalsKept { refused.append(Refusal(number: position.records, bytes: bytes)) }
        return false
    }
}
