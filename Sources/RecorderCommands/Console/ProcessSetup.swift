import Foundation

/// Settings of the process, made before anything else runs.
enum ProcessSetup {
    /// A core dump holds all memory, with keys and records in it. A crash of this process, or of one it starts, leaves none.
    static func disableCoreDumps() {
        let cores = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(cores, &limit) == 0 else { return }
        limit.rlim_cur = 0
        _ = unsafe setrlimit(cores, &limit)
    }

    /// Gives descriptors 0 to 2 a file if they were closed at the start. Otherwise the next file to be opened, a store for
    /// example, would get such a number, and what is printed would be written into it.
    ///
    /// Reading and writing still fail with EBADF, as on a closed descriptor: each is opened for the wrong direction.
    static func occupyStandardDescriptors() {
        for (file, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
            guard fcntl(file, F_GETFD) < 0 else { continue }
            // open() returns the lowest free number, and the lower ones are open.
            _ = unsafe open("/dev/null", mode)
        }
    }
}
