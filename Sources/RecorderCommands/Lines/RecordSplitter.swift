import Glibc
package import RecorderEngine

/// Splits a stream of bytes into records at a delimiter, by rules. The bytes need not be text.
///
/// Of a line over the limit, no more than the limit is held in memory: it is skipped to its end and counted, or its beginning is a
/// record. Without rules, a line is a record.
package struct RecordSplitter {
    /// A line that is too long.
    struct Refusal: Sendable, Hashable {
        /// The number of its record, counted from 1, refused ones included.
        let number: Int
        let bytes: Int
    }

    /// Consecutive records, without those that were refused or dropped.
    package struct Lines: Sendable {
        package var payloads: PayloadList
        /// Where in the input the first of them begins, and where the next one would.
        package let position: Position
        package let end: Position
    }

    /// A position between two records of the input.
    package struct Position: Sendable, Comparable {
        /// The records before it, refused and dropped ones included.
        package var records = 0
        /// Those before it that a rule left out.
        package var dropped = 0
        package var byte = 0

        package static func < (a: Position, b: Position) -> Bool { a.byte < b.byte }
    }

    private let delimiter: UInt8?
    private let limit: ByteCount
    private let keepsDelimiter: Bool
    /// What a long line that is cut ends with; nil if long lines are refused.
    private let cutEnding: [UInt8]?

    /// nil if each line is a record.
    private var assembler: RecordAssembler?
    /// nil if no record is looked at.
    private var filter: RecordFilter?
    /// The bytes so far of a record whose end has not been read.
    private var begun: [UInt8] = []
    /// The number of bytes skipped so far of a record that is too long; of one that is cut, those after `begun`.
    private var skipped = 0
    private var lastEnd: Position
    /// Where the next chunk begins.
    private var end: Int
    private var ownCounts = RecordCounts()

    /// The most records that are passed on together, and about the most bytes.
    static let mostRecords = 4_096
    static let mostBytes = 512 * 1_024

    /// - Parameters:
    ///   - delimiter: nil makes the whole input one record.
    ///   - keepsDelimiter: Whether records end with their delimiter.
    ///   - limit: The size of the largest record, with its delimiter if that is kept.
    ///   - start: Where in the file the input begins.
    ///   - rules: Those for records of several lines need a delimiter.
    package init(
        delimiter: UInt8?,
        keepsDelimiter: Bool,
        limit: ByteCount,
        start: Int = 0,
        rules: RecordRules = RecordRules()
    ) {
        lastEnd = Position(byte: start)
        end = start
        self.delimiter = delimiter
        self.keepsDelimiter = keepsDelimiter && delimiter != nil
        self.limit = limit
        if delimiter != nil, case .cut(let ending) = rules.longLine { cutEnding = ending } else { cutEnding = nil }
        if let delimiter, rules.needsAssembly {
            assembler = RecordAssembler(
                rules,
                delimiter: delimiter,
                keepsDelimiter: keepsDelimiter,
                limit: limit,
                start: start
            )
        } else {
            filter = RecordFilter(rules)
        }
    }

    /// Everything before it was passed on, dropped by a rule or refused: reading can begin here again.
    package var position: Position { assembler?.position ?? lastEnd }

    package var counts: RecordCounts { assembler?.counts ?? ownCounts }

    /// Whether a line has begun whose end has not been read.
    package var isWithinLine: Bool { assembler?.isWithinLine ?? (!begun.isEmpty || skipped > 0) }

    /// Whether a line has begun that is over the limit, and whose end has not been read.
    package var isSkipping: Bool { assembler?.isSkipping ?? (skipped > 0) }

    /// Whether there is a record of complete lines whose end has not been read, as the next line may belong to it.
    package var holdsRecord: Bool { assembler?.holdsRecord ?? false }

    /// Calls `body` with the records that end in `chunk`, in order; not at all if there is none.
    package mutating func split(_ chunk: [UInt8], body: (Lines) -> Void) {
        if assembler != nil {
            assembler?.split(chunk, body: body)
            return
        }
        var start = 0
        if isWithinLine, let found = delimiter(in: chunk, from: 0) {
            endBegun(with: chunk[..<found], nextByte: end + found + 1, body: body)
            start = found + 1
        }
        var group = Group(first: lastEnd)
        while let found = delimiter(in: chunk, from: start) {
            if group.ranges.count == Self.mostRecords { pass(&group, of: chunk, to: body) }
            let range = start..<(keepsDelimiter ? found + 1 : found)
            if let cutEnding, range.count > limit.bytes {
                pass(&group, of: chunk, to: body)
                cut(chunk[start..<found], of: range.count, ending: cutEnding, nextByte: end + found + 1, body: body)
                group = Group(first: lastEnd)
            } else if accepts(range.count, nextByte: end + found + 1) {
                if filter == nil {
                    group.ranges.append(range)
                } else {
                    take(chunk[start..<found], of: chunk, as: range, into: &group)
                }
            }
            start = found + 1
        }
        pass(&group, of: chunk, to: body)
        begin(chunk[start...])
        end += chunk.count
    }

    /// Ends the record that `holdsRecord` is about, if there is one. A begun line waits for its end.
    package mutating func endRecord(body: (Lines) -> Void) {
        assembler?.endRecord(body: body)
    }

    /// Ends the last record, whose last line may lack its delimiter. Call it at the end of the input.
    package mutating func finish(body: (Lines) -> Void) {
        if assembler != nil {
            assembler?.finish(body: body)
            return
        }
        guard isWithinLine else { return }
        endBegun(with: [], nextByte: end, body: body)
    }

    // MARK: - records of one line

    /// Records of one buffer that are passed on together.
    private struct Group {
        var first: Position
        var ranges: [Range<Int>] = []
        var keys: [String?] = []
    }

    /// Adds a record unless a rule leaves it out. `content` is the record without its delimiter.
    private mutating func take(
        _ content: ArraySlice<UInt8>,
        of bytes: [UInt8],
        as range: Range<Int>,
        into group: inout Group
    ) {
        if filter?.leavesOut(content) == true {
            lastEnd.dropped += 1
            return
        }
        if filter?.findsKeys == true {
            let key = filter?.key(of: content, stored: bytes[range])
            if key == nil { ownCounts.addWithoutKey(lastEnd.records) }
            group.keys.append(key)
        }
        group.ranges.append(range)
    }

    private func pass(_ group: inout Group, of bytes: [UInt8], to body: (Lines) -> Void) {
        if !group.ranges.isEmpty {
            let payloads = PayloadList(bytes: bytes, ranges: group.ranges, keys: group.keys)
            body(Lines(payloads: payloads, position: group.first, end: lastEnd))
        }
        group = Group(first: lastEnd)
    }

    private func delimiter(in chunk: [UInt8], from start: Int) -> Int? {
        delimiter.flatMap { chunk.firstIndex(of: $0, from: start) }
    }

    private mutating func begin(_ part: ArraySlice<UInt8>) {
        guard !part.isEmpty else { return }
        if skipped == 0, begun.count + part.count <= limit.bytes {
            begun += part
        } else if cutEnding != nil {
            let kept = part.prefix(limit.bytes - begun.count)
            begun += kept
            skipped += part.count - kept.count
        } else {
            skipped += begun.count + part.count
            begun = []
        }
    }

    /// Ends the record that has begun in an earlier chunk.
    private mutating func endBegun(with part: ArraySlice<UInt8>, nextByte: Int, body: (Lines) -> Void) {
        var group = Group(first: lastEnd)
        let bytes = skipped + begun.count + part.count + (keepsDelimiter ? 1 : 0)
        var record = begun + part
        (begun, skipped) = ([], 0)
        if let cutEnding, bytes > limit.bytes {
            return cut(record[...], of: bytes, ending: cutEnding, nextByte: nextByte, body: body)
        }
        guard accepts(bytes, nextByte: nextByte) else { return }
        let content = record.indices
        if keepsDelimiter, let delimiter { record.append(delimiter) }
        take(record[content], of: record, as: record.indices, into: &group)
        pass(&group, of: record, to: body)
    }

    /// Passes on the beginning of a record of so many bytes, which is over the limit.
    private mutating func cut(
        _ line: ArraySlice<UInt8>,
        of bytes: Int,
        ending: [UInt8],
        nextByte: Int,
        body: (Lines) -> Void
    ) {
        var group = Group(first: lastEnd)
        lastEnd.records += 1
        lastEnd.byte = nextByte
        ownCounts.cut(Refusal(number: lastEnd.records, bytes: bytes))
        let content = line.prefix(max(0, limit.bytes - ending.count))
        let record = Array(content) + ending
        take(record[..<content.count], of: record, as: record.indices, into: &group)
        pass(&group, of: record, to: body)
    }

    /// Counts a record of so many bytes; whether it is within the limit.
    private mutating func accepts(_ bytes: Int, nextByte: Int) -> Bool {
        lastEnd.records += 1
        lastEnd.byte = nextByte
        guard bytes > limit.bytes else { return true }
        ownCounts.refuse(Refusal(number: lastEnd.records, bytes: bytes))
        return false
    }
}

extension [UInt8] {
    /// The first index of a byte at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count else { return nil }
        return unsafe withUnsafeBytes { bytes in
            // memchr compares many bytes at a time.
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let base = rest.baseAddress, let found = unsafe memchr(base, Int32(byte), rest.count) else {
                return nil
            }
            return unsafe start + (UnsafeRawPointer(found) - base)
        }
    }
}
