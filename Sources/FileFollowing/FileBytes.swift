import CRecorderProcess
import FoundationEssentials
import Glibc
import RecorderAWS
package import RecorderEngine
import RecorderHTTP

/// Bytes of open files.
package enum FileBytes {
    /// Identifies the time since the machine was started; empty if that is unknown.
    package static var bootID: String {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return String(text?.trimmed() ?? "")
    }

    /// nil if the file is shorter.
    static func read(_ file: Int32, _ range: Range<Int>) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = max(unsafe pread(file, buffer.baseAddress, range.count, range.lowerBound), 0)
        }
        return bytes.count == range.count ? bytes : nil
    }

    /// Reads the bytes of a range, and behind it at most `count` more; less at the end of the file. The third value is the number
    /// of an error, 0 if there is none.
    static func read(
        _ file: Int32,
        _ range: Range<Int>,
        andThen count: Int
    ) -> (range: [UInt8], behind: [UInt8], error: Int32) {
        var (behind, error): ([UInt8], Int32) = ([], 0)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { first, firstCount in
            behind = unsafe [UInt8](unsafeUninitializedCapacity: count) { second, secondCount in
                let parts = unsafe [
                    iovec(iov_base: first.baseAddress, iov_len: range.count),
                    iovec(iov_base: second.baseAddress, iov_len: count),
                ]
                let read = unsafe preadv(file, parts, 2, range.lowerBound)
                if read < 0 { error = errno }
                secondCount = max(read - range.count, 0)
                firstCount = min(max(read, 0), range.count)
            }
        }
        return (bytes, behind, error)
    }

    package static func fingerprint(_ file: Int32, _ range: Range<Int>) -> FilePosition.Fingerprint? {
        guard let bytes = read(file, range) else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
    }

    /// Whether a file has all the bytes that were read up to a position, of whatever file that is. Reads all of them.
    package static func hold(_ file: Int32, upTo position: FilePosition) -> Bool {
        hold(position) { read(file, $0) }
    }

    /// The same for the content of a compressed file.
    package static func hold(compressed file: Int32, upTo position: FilePosition) -> Bool {
        let content = GzipFile(file)
        return hold(position) { content.read(at: $0.lowerBound, atMost: $0.count) }
    }

    private static func hold(_ position: FilePosition, read: (Range<Int>) -> [UInt8]?) -> Bool {
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

    /// How many bytes of a range are the same in two files, from its beginning; blocks that differ count as none.
    package static func countEqual(_ file: Int32, _ other: Int32, in range: Range<Int>) -> Int {
        var equal = range.lowerBound
        while equal < range.upperBound {
            let block = equal..<min(equal + 256 * 1_024, range.upperBound)
            guard let bytes = read(file, block), bytes == read(other, block) else { break }
            equal = block.upperBound
        }
        return equal - range.lowerBound
    }

    /// Whether a file is one of a container, which becomes another one with the same inode when it is written to first.
    static func isLayered(_ file: Int32) -> Bool {
        var status = statfs()
        return unsafe fstatfs(file, &status) == 0 && UInt32(truncatingIfNeeded: status.f_type) == 0x794C_7630
    }

    /// Where the last line begins that ends in `delimiter` before `end`, or 0: the line after it is not complete.
    package static func lastLineEnd(_ file: Int32, before end: Int, delimiter: UInt8?) -> Int {
        var upper = end
        while upper > 0 {
            let lower = max(upper - 64 * 1_024, 0)
            if let found = read(file, lower..<upper)?.lastIndex(where: { $0 == delimiter }) { return lower + found + 1 }
            upper = lower
        }
        return 0
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
    package mutating func move(to end: Int, in file: Int32) {
        let length = Self.fingerprintLength
        (offset, sum) = (end, ContentSum(before: end))
        head = FileBytes.fingerprint(file, 0..<min(end, length)) ?? .none
        tail = FileBytes.fingerprint(file, max(end - length, 0)..<end) ?? .none
    }
}
