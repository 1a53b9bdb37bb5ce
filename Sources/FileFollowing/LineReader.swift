import LineRecords
import RecorderStore

/// Reads an open file from a position on, and splits it into records.
final class LineReader {
    /// How a reading ended.
    enum Reading {
        /// There may be more to read.
        case lines
        case end
        /// The bytes that were read before are not in the file any more.
        case truncated
        /// The number of an error.
        case failed(Int32)
    }

    let content: FileContent
    private let flow: FileFlow
    /// That of the file when it was opened.
    private let path: String
    private var assembler: RecordAssembler
    /// The end of the lines before a line that is skipped, with what is stored of the bytes before it.
    private var skippedFrom: (offset: Int, mark: FileContent.Mark)?

    init(_ content: FileContent, path: String, of flow: FileFlow, at position: FilePosition) {
        self.content = content
        (self.path, self.flow) = (path, flow)
        assembler = RecordAssembler(flow.rules, path: path, start: position.offset)
    }

    /// Begins anew at a position.
    func begin(at position: FilePosition) {
        assembler = RecordAssembler(flow.rules, path: path, start: position.offset)
        content.begin(at: position)
        skippedFrom = nil
    }

    /// The end of the lines that were passed on, refused or left out.
    var offset: Int { assembler.position.byte }
    var isWithinLine: Bool { assembler.isWithinLine }
    var holdsRecord: Bool { assembler.holdsRecord }
    /// Since it began.
    var counts: RecordCounts { assembler.counts }

    /// Reads what follows, and passes on complete records.
    func read(atMost size: Int, _ pass: (AssembledRecords) -> Void) -> Reading {
        switch content.read(atMost: size) {
        case .bytes(let bytes):
            split(bytes, pass)
            return .lines
        case .end(let bytes):
            split(bytes, pass)
            return .end
        case .truncated: return .truncated
        case .failed(let number): return .failed(number)
        }
    }

    private func split(_ bytes: [UInt8], _ pass: (AssembledRecords) -> Void) {
        guard !bytes.isEmpty else { return }
        assembler.add(bytes).forEach(pass)
        forgetOld()
    }

    /// Passes on the record of several lines that waits for its next line.
    func endRecord(_ pass: (AssembledRecords) -> Void) {
        assembler.endRecord().forEach(pass)
        forgetOld()
    }

    /// Passes on the last line, which lacks its end.
    func finish(_ pass: (AssembledRecords) -> Void) {
        assembler.finish().forEach(pass)
    }

    /// Of a line that is skipped, only the last bytes are kept.
    private func forgetOld() {
        if assembler.isWithinLongLine, skippedFrom?.offset != offset {
            skippedFrom = (offset, content.mark(at: offset))
        }
        content.keep(from: assembler.isWithinLongLine ? content.end : offset)
    }

    /// What is stored of the bytes before an offset: the one of the last call, or one behind it.
    func mark(at offset: Int) -> FileContent.Mark {
        if let skippedFrom, skippedFrom.offset == offset { return skippedFrom.mark }
        return content.mark(at: offset)
    }
}
