import RecorderEngine

/// Makes records of lines where that takes more than finding their ends: records of several lines, header lines.
struct RecordAssembler {
    private let rules: RecordRules
    private let delimiter: UInt8
    private let keepsDelimiter: Bool
    private let limit: Int
    /// What each record ends with.
    private let ending: [UInt8]
    private var start: PatternMatcher?
    private var filter: RecordFilter?

    /// The line whose end has not been read: its bytes up to the limit, and the number of those beyond.
    private var line: [UInt8] = []
    private var bytesBeyond = 0
    /// The record whose last line may not have been read: its lines, with their delimiters, and where they end.
    private var record: [UInt8] = []
    private var lines = 0
    private var recordEnd = 0
    private var headerLines: Int

    /// What the next call of `body` gets.
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    private var keys: [String?] = []
    private var first: RecordSplitter.Position

    private(set) var position: RecordSplitter.Position
    private(set) var counts = RecordCounts()
    /// Where the next chunk begins.
    private var end: Int

    init(_ rules: RecordRules, delimiter: UInt8, keepsDelimiter: Bool, limit: ByteCount, start byte: Int) {
        self.rules = rules
        self.delimiter = delimiter
        self.keepsDelimiter = keepsDelimiter
        self.limit = limit.bytes
        ending = keepsDelimiter ? [delimiter] : []
        start = rules.multilineStart.map(PatternMatcher.init)
        filter = RecordFilter(rules)
        headerLines = byte == 0 ? rules.skippedHeaderLines : 0
        position = RecordSplitter.Position(byte: byte)
        first = position
        end = byte
    }

    var isWithinLine: Bool { !line.isEmpty || bytesBeyond > 0 }

    /// Whether a line has begun that is over the limit.
    var isSkipping: Bool { bytesBeyond > 0 }

    /// Whether the last record ends only with what is read next.
    var holdsRecord: Bool { lines > 0 }

    mutating func split(_ chunk: [UInt8], body: (RecordSplitter.Lines) -> Void) {
        var start = 0
        bytes.reserveCapacity(min(chunk.count + line.count + record.count, 2 * RecordSplitter.mostBytes))
        while let found = chunk.firstIndex(of: delimiter, from: start) {
            endLine(chunk[start..<found], nextByte: end + found + 1)
            start = found + 1
            if ranges.count == RecordSplitter.mostRecords || bytes.count > RecordSplitter.mostBytes { pass(to: body) }
        }
        begin(chunk[start...])
        end += chunk.count
        pass(to: body)
    }

    /// Ends the record of complete lines.
    mutating func endRecord(body: (RecordSplitter.Lines) -> Void) {
        closeRecord()
        pass(to: body)
    }

    mutating func finish(body: (RecordSplitter.Lines) -> Void) {
        if isWithinLine { endLine([], nextByte: end) }
        endRecord(body: body)
    }

    // MARK: - lines

    private mutating func begin(_ part: ArraySlice<UInt8>) {
        let kept = part.prefix(max(0, limit - line.count))
        line += kept
        bytesBeyond += part.count - kept.count
        // It can belong to no record. The one before is not held until its end, which may be far.
        if isSkipping { closeRecord() }
    }

    private mutating func endLine(_ part: ArraySlice<UInt8>, nextByte: Int) {
        guard isWithinLine else { return take(part, bytes: part.count, nextByte: nextByte) }
        begin(part)
        let whole = line
        let size = whole.count + bytesBeyond
        (line, bytesBeyond) = ([], 0)
        take(whole[...], bytes: size, nextByte: nextByte)
    }

    /// Takes a line of so many bytes, of which those within the limit are given.
    private mutating func take(_ line: ArraySlice<UInt8>, bytes: Int, nextByte: Int) {
        if headerLines > 0 {
            headerLines -= 1
            // A reading that begins again among the header lines would not know how many are left.
            return advance(to: headerLines == 0 ? nextByte : position.byte, dropped: true)
        }
        guard bytes + (keepsDelimiter ? 1 : 0) <= limit else { return takeLong(line, bytes: bytes, nextByte: nextByte) }
        if start == nil, !rules.joinsLines {
            advance(to: nextByte)
            return add(line, ending: ending)
        }
        let isFull = record.count + line.count + 1 > limit || lines == RecordRules.mostLines
        if lines > 0, isFull || start?.isFound(in: line.span) == true { closeRecord() }
        record += line
        record.append(delimiter)
        lines += 1
        recordEnd = nextByte
        if start == nil { closeRecord() }
    }

    private mutating func takeLong(_ line: ArraySlice<UInt8>, bytes: Int, nextByte: Int) {
        closeRecord()
        advance(to: nextByte)
        let number = position.records
        switch rules.longLine {
        case .refused: counts.refuse(RecordSplitter.Refusal(number: number, bytes: bytes + (keepsDelimiter ? 1 : 0)))
        case .cut(let ending):
            counts.cut(RecordSplitter.Refusal(number: number, bytes: bytes + (keepsDelimiter ? 1 : 0)))
            add(line.prefix(max(0, limit - ending.count)), ending: ending)
        }
    }

    // MARK: - records

    private mutating func closeRecord() {
        guard lines > 0 else { return }
        advance(to: recordEnd)
        let content = record.dropLast()
        if rules.joinsLines { add(joined(content)[...], ending: ending) } else { add(content, ending: ending) }
        record.removeAll(keepingCapacity: true)
        lines = 0
    }

    private func joined(_ content: ArraySlice<UInt8>) -> [UInt8] {
        content.split(separator: delimiter).flatMap { line in
            line.drop { $0 <= 0x20 }.trimmingSuffix { $0 <= 0x20 }
        }
    }

    private mutating func advance(to byte: Int, dropped: Bool = false) {
        position = RecordSplitter.Position(
            records: position.records + 1,
            dropped: position.dropped + (dropped ? 1 : 0),
            byte: byte
        )
    }

    private mutating func add(_ content: ArraySlice<UInt8>, ending: [UInt8]) {
        if filter?.leavesOut(content) == true {
            position.dropped += 1
            return
        }
        let start = bytes.count
        bytes += content
        bytes += ending
        ranges.append(start..<bytes.count)
        guard filter?.findsKeys == true else { return }
        let key = filter?.key(of: content, stored: bytes[start...])
        if key == nil { counts.addWithoutKey(position.records) }
        keys.append(key)
    }

    private mutating func pass(to body: (RecordSplitter.Lines) -> Void) {
        if !ranges.isEmpty {
            let payloads = PayloadList(bytes: bytes, ranges: ranges, keys: keys)
            (bytes, ranges, keys) = ([], [], [])
            body(RecordSplitter.Lines(payloads: payloads, position: first, end: position))
        }
        first = position
    }
}

extension ArraySlice<UInt8> {
    fileprivate func trimmingSuffix(while isTrimmed: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        guard let last = lastIndex(where: { !isTrimmed($0) }) else { return [] }
        return self[...last]
    }
}
