import Foundation

/// The share of the machine that other programs use during a measurement.
///
/// On a busy machine a ratio misleads even though its two sides alternate: a thread that wakes after disk I/O waits
/// longer for a processor than it did for the disk, which favours the side with more threads.
struct OtherWork {
    /// Above this share of all processors, a ratio of times is unreliable.
    static let tolerable = 0.2

    private let start = Self.used()
    private let wall = ContinuousClock.now

    /// The share of all processors that other programs have used since this value was created, from 0 to 1.
    func share() -> Double {
        let end = Self.used()
        let processors = Double(ProcessInfo.processInfo.processorCount)
        let all = (ContinuousClock.now - wall) / .seconds(1) * processors
        return max(0, (end.machine - start.machine) - (end.ours - start.ours)) / all
    }

    /// Seconds of processor time: of the whole machine, and of this process with its finished children.
    private static func used() -> (machine: Double, ours: Double) {
        var own = rusage()
        var children = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own)
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &children)
        let times = [own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime]
        return (machineTime(), times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 })
    }

    /// https://man7.org/linux/man-pages/man5/proc_stat.5.html
    private static func machineTime() -> Double {
        let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard ticks.count >= 8 else { return 0 }
        // user, nice, system, [idle, iowait,] irq, softirq, steal
        return (ticks[0...2].reduce(0, +) + ticks[5...7].reduce(0, +)) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
