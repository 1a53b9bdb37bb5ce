/// The last bytes that were read of a file: what was kept of earlier readings, and the bytes of this reading behind them.
struct RecentBytes {
    /// Where in the file it begins.
    private(set) var start: Int
    private var kept: [UInt8]
    /// Shared with the reader, not copied.
    private var new: [UInt8] = []

    init(_ bytes: [UInt8] = [], at start: Int) {
        kept = bytes
        self.start = start
    }

    /// Where in the file it ends.
    var end: Int { start + kept.count + new.count }

    /// The bytes of a range of the file.
    subscript(range: Range<Int>) -> [UInt8] {
        let middle = start + kept.count
        let old = range.clamped(to: start..<middle)
        let rest = range.clamped(to: middle..<end)
        var bytes = Array(kept[old.lowerBound - start..<old.upperBound - start])
        bytes += new[rest.lowerBound - middle..<rest.upperBound - middle]
        return bytes
    }

    /// The same, without a copy if they are of this reading.
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let middle = start + kept.count
        guard range.lowerBound >= middle else { return unsafe self[range].withUnsafeBytes(body) }
        return unsafe new[range.lowerBound - middle..<range.upperBound - middle].withUnsafeBytes(body)
    }

    /// Adds what follows. Until it is kept, nothing else is added.
    mutating func add(_ bytes: [UInt8]) { new = bytes }

    /// Keeps a copy of what is at `offset` and behind it.
    mutating func keep(from offset: Int) {
        let middle = start + kept.count
        if offset >= middle {
            // A new array, as large as needed.
            kept = Array(new[(offset - middle)...])
            start = offset
        } else {
            if offset > start {
                kept.removeFirst(offset - start)
                start = offset
            }
            kept += new
        }
        new = []
    }
}
