import Glibc
package import RecorderStore

/// Consecutive records of an input, without those that were refused or left out.
package struct AssembledRecords: Sendable {
    package let payloads: PayloadList
    /// Where in the input the first of them begins, and where the next one would.
    package let start: InputPosition
    package let end: InputPosition
}

/// A position between two records of an input.
package struct InputPosition: Sendable, Comparable {
    /// The records before it, refused ones and those that were left out included.
    package var records = 0
    /// Those before it that a rule left out.
    package var dropped = 0
    package var byte = 0

    package init() {}

    package static func < (a: InputPosition, b: InputPosition) -> Bool { a.byte < b.byte }
}

/// Makes records of bytes that come in chunks, by rules. The bytes need not be text.
///
/// What is read and not passed on yet stands in `buffer`: the lines of a record whose end is not known, each with its delimiter,
/// and then a line that has begun. A line without other rules is a record of its own, which ends with it.
///
///     buffer      [ lines of the record | the line that has begun ]   bytes of that line that are over the limit
///                 ^ recordStart         ^ lineStart       buffer.count                             bytesBeyond
///
/// | state            | lines | begun line | bytesBeyond | what ends it                                                 |
/// |------------------|-------|------------|-------------|--------------------------------------------------------------|
/// | between lines    | 0     | empty      | 0           | a byte                                                       |
/// | within a line    | 0     | some       | 0           | a delimiter, the end of the input; more bytes than the limit |
/// | holds a record   | > 0   | any        | 0           | a line that starts the next one, is too long or has no room  |
/// | within long line | 0     | its start, or nothing | > 0 | a delimiter, the end of the input                         |
package struct RecordAssembler {
    let rules: RecordRules
    /// 1, or 0 without a delimiter; the same of what a record keeps of it.
    private let delimiterLength: Int
    private let endingLength: Int
    /// nil if no field is added.
    private let fields: FieldWriter?

    private var buffer: [UInt8] = []
    private var recordStart = 0
    private var lineStart = 0
    private var lines = 0
    private var bytesBeyond = 0
    private var headerLines: Int
    /// Where in the input the next chunk begins, and how many bytes at the end of the buffer are not of the input.
    private var inputEnd: Int
    private var padding = 0

    private var output: Output
    /// Everything before it was passed on, left out or refused: reading can begin here again.
    package private(set) var position: InputPosition
    /// Since it was made.
    package internal(set) var counts = RecordCounts()

    /// `path` is that of the file, and `start` where in it the input begins.
    package init(_ rules: RecordRules, path: String = "", start: Int = 0) {
        precondition(rules.delimiter != nil || rules.multilineStart == nil, "lines have an end")
        self.rules = rules
        delimiterLength = rules.delimiter == nil ? 0 : 1
        endingLength = rules.keepsDelimiter ? delimiterLength : 0
        fields = rules.fields.map { FieldWriter($0, path: path) }
        headerLines = start == 0 ? rules.skippedHeaderLines : 0
        inputEnd = start
        position = InputPosition()
        position.byte = start
        output = Output(start: position)
    }

    /// Whether a line has begun whose end has not been read.
    package var isWithinLine: Bool { bytesBeyond > 0 || lineStart < buffer.count }

    /// Whether a line has begun that is over the limit, and whose end has not been read.
    package var isWithinLongLine: Bool { bytesBeyond > 0 }

    /// Whether there is a record of complete lines whose end has not been read, as the next line may belong to it.
    package var holdsRecord: Bool { lines > 0 }

    // MARK: - input

    /// The records that end in `chunk`, in order.
    package mutating func add(_ chunk: [UInt8]) -> [AssembledRecords] {
        var start = 0
        if !buffer.isEmpty, let found = delimiter(in: chunk, from: 0) {
            start = found + 1
            append(chunk[..<start])
            endLine(at: buffer.count - 1)
        }
        var searched = buffer.count
        if recordStart == buffer.count {
            // The records of this chunk need not be copied.
            output.pass(buffer, upTo: position)
            inputEnd += chunk.count - start
            (buffer, recordStart, lineStart, searched) = (chunk, start, start, start)
        } else {
            append(chunk[start...])
        }
        while let found = delimiter(in: buffer, from: searched) {
            endLine(at: found)
            searched = found + 1
        }
        let isLong = bytesBeyond > 0 || buffer.count - lineStart > rules.maximumRecordBytes
        // The record before it is not held until the end of a long line, which may be far.
        if isLong { endHeldRecord() }
        return takeRecords(dropsLongLine: isLong)
    }

    /// Ends the record that `holdsRecord` is about, if there is one. A line that has begun waits for its end.
    package mutating func endRecord() -> [AssembledRecords] {
        endHeldRecord()
        return takeRecords()
    }

    /// Ends the last record, whose last line may lack its delimiter. Call it at the end of the input.
    package mutating func finish() -> [AssembledRecords] {
        if isWithinLine {
            if let delimiter = rules.delimiter { buffer.append(delimiter) }
            padding = delimiterLength
            endLine(at: buffer.count - padding)
        }
        defer { padding = 0 }
        return endRecord()
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        buffer += bytes
        inputEnd += bytes.count
    }

    private func delimiter(in bytes: [UInt8], from start: Int) -> Int? {
        rules.delimiter.flatMap { bytes.firstIndex(of: $0, from: start) }
    }

    /// What ended, with the buffer without it.
    private mutating func takeRecords(dropsLongLine: Bool = false) -> [AssembledRecords] {
        output.pass(buffer, upTo: position)
        if dropsLongLine {
            let kept = rules.cutEnding == nil ? 0 : rules.maximumRecordBytes
            bytesBeyond += buffer.count - lineStart - kept
            buffer = Array(buffer[lineStart..<lineStart + kept])
            (recordStart, lineStart) = (0, 0)
        } else if recordStart > 0 {
            buffer = recordStart == buffer.count ? [] : Array(buffer[recordStart...])
            (recordStart, lineStart) = (0, lineStart - recordStart)
        }
        assert(lines > 0 || recordStart == lineStart, "lines of no record")
        assert(lines == 0 || bytesBeyond == 0, "a record that is held behind a long line")
        return output.take()
    }

    // MARK: - lines

    /// Ends the line that has begun, at the index of its delimiter, or at the end of the buffer.
    private mutating func endLine(at end: Int) {
        let next = end + delimiterLength
        let bytes = bytesBeyond + end - lineStart
        if headerLines > 0 {
            headerLines -= 1
            // A reading that begins again among the header lines would not know how many are left.
            leaveOut(next: headerLines == 0 ? next : nil)
        } else if bytes + endingLength > rules.maximumRecordBytes {
            endHeldRecord()
            endLongLine(lineStart..<end, bytes: bytes, next: next)
        } else {
            if lines > 0, !isContinuation(lineStart..<end) { endHeldRecord() }
            lines += 1
            lineStart = next
            if rules.multilineStart == nil { endHeldRecord() }
            return
        }
        bytesBeyond = 0
        (recordStart, lineStart) = (next, next)
    }

    /// Whether a line belongs to the record before it.
    private mutating func isContinuation(_ line: Range<Int>) -> Bool {
        let hasRoom = line.upperBound + delimiterLength - recordStart <= rules.maximumRecordBytes
        guard hasRoom, lines < RecordRules.mostLines else { return false }
        return rules.multilineStart.map { !isFound($0, in: buffer[line]) } ?? false
    }

    /// `bytes` is the length of the line, of which the buffer may have only the beginning.
    private mutating func endLongLine(_ line: Range<Int>, bytes: Int, next: Int) {
        let number = position.records + 1
        let long = RecordCounts.LongLine(number: number, bytes: bytes + endingLength)
        if let ending = rules.cutEnding {
            counts.cut(long)
            let kept = line.prefix(max(0, rules.maximumRecordBytes - ending.count))
            endRecord(kept, next: next, cutWith: ending)
        } else {
            counts.refuse(long)
            advance(to: next)
        }
    }

    // MARK: - records

    private mutating func endHeldRecord() {
        guard lines > 0 else { return }
        lines = 0
        endRecord(recordStart..<lineStart - delimiterLength, next: lineStart)
        recordStart = lineStart
    }

    /// Ends the record with this content. `next` is where the one after it begins.
    private mutating func endRecord(_ content: Range<Int>, next: Int, cutWith ending: [UInt8]? = nil) {
        let line = rules.joinsLines ? joined(buffer[content])[...] : buffer[content]
        guard !leavesOut(line) else { return leaveOut(next: next) }
        let record = withFields(line, isCut: ending != nil)
        let isCopied = rules.joinsLines || ending != nil || fields != nil
        output.prepare(isCopied: isCopied, buffer, upTo: position)
        let stored = content.lowerBound..<content.upperBound + endingLength
        if isCopied {
            output.append(record, ending ?? Array(buffer[content.upperBound..<stored.upperBound]))
        } else {
            output.append(stored)
        }
        if let rule = rules.key {
            let key = key(of: line, by: rule, stored: output.lastRecord(in: buffer))
            if key == nil { counts.addWithoutKey(position.records + 1) }
            output.append(key: key)
        }
        advance(to: next)
    }

    /// The record with its fields, as far as it can have them.
    private mutating func withFields(_ line: ArraySlice<UInt8>, isCut: Bool) -> ArraySlice<UInt8> {
        guard let (added, fault) = fields?.added(to: line, at: position.byte) else { return line }
        let hasRoom = !isCut && added.count + endingLength <= rules.maximumRecordBytes
        if let fault = hasRoom ? fault : .tooLong {
            counts.addWithoutFields(.init(number: position.records + 1, fault: fault))
        }
        return hasRoom ? added[...] : line
    }

    private func joined(_ content: ArraySlice<UInt8>) -> [UInt8] {
        content.split { $0 == rules.delimiter }.flatMap { line in
            line.drop { $0 <= 0x20 }.trimmingSuffix { $0 <= 0x20 }
        }
    }

    private mutating func leaveOut(next: Int?) {
        position.dropped += 1
        advance(to: next)
    }

    /// Counts a record. `next` is where the one after it begins; nil if reading cannot begin there.
    private mutating func advance(to next: Int?) {
        position.records += 1
        if let next { position.byte = min(inputEnd, inputEnd + padding - (buffer.count - next)) }
    }
}

extension RecordRules {
    /// What a long line that is cut ends with; nil if long lines are refused. An input of one record has no lines.
    fileprivate var cutEnding: [UInt8]? {
        if delimiter != nil, case .cut(let ending) = longLine { ending } else { nil }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func trimmingSuffix(while isTrimmed: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        guard let last = lastIndex(where: { !isTrimmed($0) }) else { return [] }
        return self[...last]
    }
}

extension [UInt8] {
    /// The first index of a byte at or after `start`.
    fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBytes { bytes in
            // memchr compares many bytes at a time.
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let base = rest.baseAddress, let found = memchr(base, Int32(byte), rest.count) else {
                return nil
            }
            return start + (UnsafeRawPointer(found) - base)
        }
    }
}
