import Foundation
import Glibc

/// What a piece of work costs.
enum Meter {
    /// Nanoseconds of processor time, of all threads, for each of `count` items: the median of some rounds.
    ///
    /// Processor time, because it stays the same when others use the machine.
    static func nanoseconds(per count: Int, rounds: Int, _ work: () -> Void) -> Double {
        work()
        let times = (0..<rounds).map { _ in
            let start = processorTime()
            work()
            return Double(processorTime() - start) / Double(count)
        }
        return times.sorted()[rounds / 2]
    }

    /// Bytes of memory in use now. What was freed before stays in use, so take growth before anything big is freed.
    static func residentBytes() -> Int {
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard let fields, fields.count > 1, let pages = Int(fields[1]) else {
            fatalError("Cannot read this process's memory use from /proc/self/statm.")
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Items a second of time on the wall.
    static func rate(of count: Int, _ work: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure { try work() }
        return Double(count) / (time / .seconds(1))
    }

    /// Bytes that this process makes the disk write, for each of `count` items; what the disk's cache swallows included.
    static func bytesWritten(per count: Int, _ work: () throws -> Void) rethrows -> Double {
        let start = field("write_bytes:", of: "/proc/self/io")
        try work()
        return Double(field("write_bytes:", of: "/proc/self/io") - start) / Double(count)
    }

    /// The most bytes of memory that were ever in use at once.
    static func peakResidentBytes() -> Int {
        field("VmHWM:", of: "/proc/self/status") * 1_024
    }

    /// The number after a name in a file of lines.
    private static func field(_ name: String, of path: String) -> Int {
        let lines = try? String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let words = lines?.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace)
        guard let words, words.count > 1, let number = Int(words[1]) else { fatalError("\(path) has no \(name)") }
        return number
    }

    static func processorTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
