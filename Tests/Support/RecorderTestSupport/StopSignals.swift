import Foundation
public import Glibc

/// Signals for programs that end in order at the first one. One that arrives while they start would kill them.
public enum StopSignals {
    /// Sends a signal, to a program that handles it once it does.
    ///
    /// Waits up to ten seconds for that; a program that ignores the signal, or leaves it to the system, gets it then.
    @discardableResult
    public static func send(_ signal: Int32, to process: pid_t) -> Int32 {
        let deadline = ContinuousClock.now + .seconds(10)
        let isHandledByTools = [SIGINT, SIGTERM, SIGHUP].contains(signal)
        while isHandledByTools, !isHandled(signal, by: process), ContinuousClock.now < deadline { usleep(1_000) }
        return kill(process, signal)
    }

    /// Whether a process handles a signal; true after its end.
    private static func isHandled(_ signal: Int32, by process: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return true }
        let lines = status.split(separator: "\n")
        let isEnded = lines.contains { $0.hasPrefix("State:\tZ") }
        let caught = lines.first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last
        guard !isEnded, let mask = caught.flatMap({ UInt64($0, radix: 16) }) else { return true }
        return mask >> UInt64(signal - 1) & 1 == 1
    }
}
