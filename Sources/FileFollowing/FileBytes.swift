import Glibc
import RecorderHTTP
package import RecorderStore

extension OpenFile {
    func fingerprint(_ range: Range<Int>) -> FilePosition.Fingerprint? {
        guard let bytes = read(range) else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
    }

    /// Whether it has all the bytes that were read up to a position, of whatever file that is. Reads all of them.
    func holds(upTo position: FilePosition) -> Bool {
        Self.holds(position) { read($0) }
    }

    /// The same for the content of a compressed file.
    func holdsCompressed(upTo position: FilePosition) -> Bool {
        let content = GzipFile(self)
        return Self.holds(position) { content.read(at: $0.lowerBound, atMost: $0.count) }
    }

    /// Whether the content of a compressed file begins like that of a position's file.
    func holdsCompressed(headOf position: FilePosition) -> Bool {
        let bytes = GzipFile(self).read(at: 0, atMost: position.head.length) ?? []
        return unsafe bytes.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) } == position.head
    }

    /// Whether a line ends in `delimiter` in the content of a compressed file before `end`.
    func hasCompressedLine(before end: Int, _ delimiter: UInt8?) -> Bool {
        let content = GzipFile(self)
        return stride(from: 0, to: end, by: 64 * 1_024).contains { start in
            content.read(at: start, atMost: min(64 * 1_024, end - start))?.contains { $0 == delimiter } == true
        }
    }

    /// Whether the content of a compressed file, of so many bytes, is the beginning of another file.
    func isCompressedStart(of other: OpenFile, _ length: Int) -> Bool {
        let content = GzipFile(self)
        for start in stride(from: 0, to: length, by: 256 * 1_024) {
            let block = start..<min(start + 256 * 1_024, length)
            guard let bytes = content.read(at: start, atMost: block.count), bytes == other.read(block) else {
                return false
            }
        }
        return true
    }

    private static func holds(_ position: FilePosition, read: (Range<Int>) -> [UInt8]?) -> Bool {
        let offset = position.offset
        func holds(_ fingerprint: FilePosition.Fingerprint, _ range: Range<Int>) -> Bool {
            read(range).map { unsafe $0.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) } } == fingerprint
        }
        // What is before the summed bytes was not read.
        guard holds(position.head, 0..<position.head.length) else { return false }
        var sum = ContentSum(before: position.sum.start)
        while offset - sum.end >= 8 {
            let end = min(sum.end + 256 * 1_024, offset)
            guard let bytes = read(sum.end..<end), bytes.count == end - sum.end else { return false }
            sum = unsafe bytes.withUnsafeBytes { unsafe sum.adding($0, upTo: end) }
        }
        return sum == position.sum && holds(position.tail, offset - position.tail.length..<offset)
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

extension GzipFile {
    convenience init(_ file: OpenFile) {
        self.init { file.read($0..<$0, andThen: $1).behind }
    }
}

/// The text of an error number.
package func errorText(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
}

extension FilePosition {
    /// How many bytes a position has fingerprints of, at the start of the file and before the position.
    static let fingerprintLength = 1_024

    /// Takes the fingerprints at a byte of an open file, whose bytes before it are not read.
    package mutating func move(to end: Int, in file: OpenFile) {
        move(to: end) { file.read($0) }
    }

    /// The same at a byte of the content of a compressed file.
    mutating func move(to end: Int, inCompressed file: OpenFile) {
        let content = GzipFile(file)
        move(to: end) { content.read(at: $0.lowerBound, atMost: $0.count) }
    }

    private mutating func move(to end: Int, reading read: (Range<Int>) -> [UInt8]?) {
        func fingerprint(_ range: Range<Int>) -> Fingerprint {
            read(range).map { unsafe $0.withUnsafeBytes { unsafe Fingerprint(of: $0) } } ?? .none
        }
        (offset, sum) = (end, ContentSum(before: end))
        head = fingerprint(0..<min(end, Self.fingerprintLength))
        tail = fingerprint(max(end - Self.fingerprintLength, 0)..<end)
    }
}
