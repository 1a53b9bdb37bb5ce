package import Foundation

/// A user without privileges, for limits that do not hold for root.
package enum OtherUser {
    /// What runs a program as that user; empty if the tests do not run as root.
    package static let prefix = geteuid() == 0 ? ["setpriv", "--reuid=\(id)", "--clear-groups"] : []

    private static let id: uid_t = 54_398

    /// Whether that user can run the built programs, and be given files.
    package static let runsPrograms: Bool = {
        guard geteuid() == 0 else { return true }
        guard Privileges.givesFilesAway, let name = CommandLine.arguments.first else { return false }
        return Privileges.runs(prefix + ["test", "-r", name])
    }()

    /// Gives a directory to that user.
    package static func give(_ path: String) {
        if geteuid() == 0 { _ = chown(path, id, getegid()) }
    }
}

/// The threads that a process may have, and has.
package enum ThreadLimit {
    /// Takes the right to start threads from this process, which root always has, or gives it back.
    package static func set(_ mayStart: Bool) {
        let threads = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
        var limit = rlimit()
        guard getrlimit(threads, &limit) == 0 else { fatalError("the limit of threads cannot be read") }
        limit.rlim_cur = mayStart ? limit.rlim_max : 0
        guard setrlimit(threads, &limit) == 0 else { fatalError("the limit of threads cannot be set") }
    }

    /// The same for a process of ``OtherUser``, which has this process's upper limit.
    package static func set(_ mayStart: Bool, for process: pid_t) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0 else {
            fatalError("the limit of threads cannot be read")
        }
        let most = limit.rlim_max == rlim_t.max ? "unlimited" : "\(limit.rlim_max)"
        let words = ["prlimit", "--pid", "\(process)", "--nproc=\(mayStart ? most : "0"):"]
        guard Privileges.runs(OtherUser.prefix + words) else { fatalError("the limit of threads cannot be set") }
    }

    /// How many threads of executors a process has.
    package static func storeThreads(of process: pid_t = getpid()) -> Int {
        let directory = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return threads.count { thread in
            (try? String(contentsOfFile: "\(directory)/\(thread)/comm", encoding: .utf8)) == "recorder-store\n"
        }
    }

    /// Blocks until a process has at most this many.
    package static func waitForStoreThreads(_ count: Int, of process: pid_t = getpid()) {
        let end = ContinuousClock.now + .seconds(60)
        while storeThreads(of: process) > count, ContinuousClock.now < end { usleep(10_000) }
    }
}
