import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderEngine

/// Bytes of open files.
enum FileBytes {
    /// Identifies the time since the machine was started; empty if that is unknown.
    static var bootID: String {
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

    static func fingerprint(_ file: Int32, _ range: Range<Int>) -> FilePosition.Fingerprint? {
        guard let bytes = read(file, range) else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe FilePosition.Fingerprint(of: $0) }
    }

    /// Where the last line begins that ends in `delimiter` before `end`, or 0: the line after it is not complete.
    static func lastLineEnd(_ file: Int32, before end: Int, delimiter: UInt8) -> Int {
        var upper = end
        while upper > 0 {
            let lower = max(upper - 64 * 1_024, 0)
            if let found = read(file, lower..<upper)?.lastIndex(of: delimiter) { return lower + found + 1 }
            upper = lower
        }
        return 0
    }
}
