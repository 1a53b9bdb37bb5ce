import FileFollowing
import RecorderEngine

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
    private var splitter: RecordSplitter
    /// The end of the lines before a line that is skipped, with what is stored of the bytes before it.
    private var skippedFrom: (offset: Int, mark: FileContent.Mark)?

    init(_ content: FileContent, of flow: FileFlow, at position: FilePosition) {
        self.content = content
        self.flow = flow
        splitter = RecordSplitter(flow, start: position.offset)
    }

    /// Begins anew at a position.
    func begin(at position: FilePosition) {
        splitter = RecordSplitter(flow, start: position.offset)
        content.begin(at: position)
        skippedFrom = nil
    }

    /// The end of the lines that were passed on, refused or left out.
    var offset: Int { splitter.position.byte }
    var isWithinLine: Bool { splitter.isWithinLine }
    var holdsRecord: Bool { splitter.holdsRecord }
    /// Since it began.
    var counts: RecordCounts { splitter.counts }

    /// Reads what follows, and passes on complete records.
    func read(atMost size: Int, _ pass: (RecordSplitter.Lines) -> Void) -> Reading {
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

    private func split(_ bytes: [UInt8], _ pass: (RecordSplitter.Lines) -> Void) {
        guard !bytes.isEmpty else { return }
        splitter.split(bytes, body: pass)
        forgetOld()
    }

    /// Passes on the record of several lines that waits for its next line.
    func endRecord(_ pass: (RecordSplitter.Lines) -> Void) {
        splitter.endRecord(body: pass)
        forgetOld()
    }

    /// Passes on the last line, which lacks its end.
    func finish(_ pass: (RecordSplitter.Lines) -> Void) {
        splitter.finish(body: pass)
    }

    /// Of a line that is skipped, only the last bytes are kept.
    private func forgetOld() {
        if splitter.isSkipping, skippedFrom?.offset != offset { skippedFrom = (offset, content.mark(at: offset)) }
        content.keep(from: splitter.isSkipping ? content.end : offset)
    }

    /// What is stored of the bytes before an offset: the one of the last call, or one behind it.
    func mark(at offset: Int) -> FileContent.Mark {
        if let skippedFrom, skippedFrom.offset == offset { return skippedFrom.mark }
        return content.mark(at: offset)
    }
}

extension RecordSplitter {
    fileprivate init(_ flow: FileFlow, start: Int) {
        self.init(
            delimiter: flow.delimiter,
            keepsDelimiter: flow.keepsDelimiter,
            limit: flow.recordLimit,
            start: start,
            rules: flow.rules
        )
    }
}
