import FileFollowing
import Glibc

/// Follows the files of any number of flows, on one thread, until a signal.
struct FileFollower: Sendable {
    let targets: [FileFlowTarget]
    let console: Console
    let stop: StopSignal
    let metrics: RunMetrics?
    /// Called when the files that exist are known, and changes of their directories are watched.
    let started: @Sendable () -> Void

    /// Returns once everything that was read is stored.
    func run() async throws(CommandFailure) -> FollowEnd {
        ProcessSetup.keepFreedMemory()
        // Sent if somebody opens a deleted file, by its number, in the moment in which this process asks who has it open.
        _ = signal(SIGIO, SIG_IGN)
        return try await CommandFailure.onNewThread(named: "recorder-follow") {
            let system = LinuxFileSystem(stop: stop.descriptor)
            let log = FollowLog(console, metrics)
            return FollowLoop(targets, in: Files.workingDirectory, system, observer: log).run(started: started)
        }
    }
}
