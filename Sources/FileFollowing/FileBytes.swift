import RecorderHTTP
import RecorderStore

/// The bytes of a file, as they are or decompressed.
protocol FileBytes {
    /// nil if there are fewer, or they cannot be read.
    func read(_ range: Range<Int>) -> [UInt8]?
}

extension OpenFile: FileBytes {}

extension GzipFile: FileBytes {
    convenience init(_ file: OpenFile) {
        self.init { file.read($0..<$0, andThen: $1).behind }
    }

    func read(_ range: Range<Int>) -> [UInt8]? {
        let bytes = read(at: range.lowerBound, atMost: range.count)
        return bytes?.count == range.count ? bytes : nil
    }
}

extension FileBytes {
    func fingerprint(_ range: Range<Int>) -> FilePosition.Fingerprint? {
        guard let bytes = read(range) else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
    }

    /// Whether they begin like the file of a position, whatever file that is.
    func holds(headOf position: FilePosition) -> Bool {
        fingerprint(0..<position.head.length) == position.head
    }

    /// Whether these are all the bytes that were read up to a position, of whatever file that is. Reads all of them.
    func holds(upTo position: FilePosition) -> Bool {
        // What is before the summed bytes was not read.
        guard holds(headOf: position) else { return false }
        let offset = position.offset
        var sum = ContentSum(before: position.sum.start)
        while offset - sum.end >= 8 {
            let end = min(sum.end + 256 * 1_024, offset)
            guard let bytes = read(sum.end..<end) else { return false }
            sum = unsafe bytes.withUnsafeBytes { unsafe sum.adding($0, upTo: end) }
        }
        return sum == position.sum && fingerprint(offset - position.tail.length..<offset) == position.tail
    }

    /// How many bytes of a range are the same in another file, from its beginning; blocks that differ count as none.
    func countEqual(to other: OpenFile, in range: Range<Int>) -> Int {
        var equal = range.lowerBound
        while equal < range.upperBound {
            let block = equal..<min(equal + 256 * 1_024, range.upperBound)
            guard let bytes = read(block), bytes == other.read(block) else { break }
            equal = block.upperBound
        }
        return equal - range.lowerBound
    }

    /// Whether a line ends in `delimiter` before `end`.
    func hasLine(before end: Int, _ delimiter: UInt8?) -> Bool {
        stride(from: 0, to: end, by: 64 * 1_024).contains { start in
            read(start..<min(start + 64 * 1_024, end))?.contains { $0 == delimiter } == true
        }
    }
}

extension OpenFile {
    /// Where the last line begins that ends in `delimiter` before `end`, or 0: the line after it is not complete.
    func lastLineEnd(before end: Int, delimiter: UInt8?) -> Int {
        var upper = end
        while upper > 0 {
            let lower = max(upper - 64 * 1_024, 0)
            if let found = read(lower..<upper)?.lastIndex(where: { $0 == delimiter }) { return lower + found + 1 }
            upper = lower
        }
        return 0
    }
}

extension FilePosition {
    /// How many bytes a position has fingerprints of, at the start of the file and before the position.
    static let fingerprintLength = 1_024

    /// Takes the fingerprints at a byte of a file, whose bytes before it are not read.
    mutating func move(to end: Int, in bytes: some FileBytes) {
        (offset, sum) = (end, ContentSum(before: end))
        head = bytes.fingerprint(0..<min(end, Self.fingerprintLength)) ?? .none
        tail = bytes.fingerprint(max(end - Self.fingerprintLength, 0)..<end) ?? .none
    }
}
