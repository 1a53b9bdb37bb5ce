import Foundation
import Glibc

/// Measures processor time, memory and disk writes.
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

    /// Bytes of resident memory. Freed memory stays resident, so measure growth before freeing anything large.
    static func residentBytes() -> Int {
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard let fields, fields.count > 1, let pages = Int(fields[1]) else {
            fatalError("Cannot read this process's memory use from /proc/self/statm.")
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Items per second of wall-clock time.
    static func rate(of count: Int, _ work: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure { try work() }
        return Double(count) / (time / .seconds(1))
    }

    /// What each of `count` items takes.
    struct ItemCost {
        /// Items per second of wall-clock time.
        let rate: Double
        /// Processor time of all threads.
        let nanoseconds: Double
    }

    /// The rate and the processor time at once.
    static func cost(of count: Int, _ work: () throws -> Void) rethrows -> ItemCost {
        let start = processorTime()
        let rate = try rate(of: count, work)
        return ItemCost(rate: rate, nanoseconds: Double(processorTime() - start) / Double(count))
    }

    /// Bytes that this process writes to the disk, per item. Includes writes that the disk's cache absorbs.
    static func bytesWritten(per count: Int, _ work: () throws -> Void) rethrows -> Double {
        let start = field("write_bytes:", of: "/proc/self/io")
        try work()
        return Double(field("write_bytes:", of: "/proc/self/io") - start) / Double(count)
    }

    /// The peak of resident memory, in bytes.
    static func peakResidentBytes() -> Int {
        field("VmHWM:", of: "/proc/self/status") * 1_024
    }

    /// The same for another process.
    static func peakResidentBytes(of process: pid_t) -> Int {
        field("VmHWM:", of: "/proc/\(process)/status") * 1_024
    }

    /// The processor time of another process so far, of all its threads.
    static func processorSeconds(of process: pid_t) -> Double {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            fatalError("The processor time of process \(process) cannot be read.")
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Bytes of memory of another process that no other shares and that no file has.
    static func privateBytes(of process: pid_t) -> Int {
        field("Private_Dirty:", of: "/proc/\(process)/smaps_rollup") * 1_024
    }

    /// The number that follows a name at the start of a line.
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
