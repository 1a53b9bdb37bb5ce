import Foundation

/// What a crash would write to the disk: all memory, with keys and records in it.
enum CoreDump {
    /// Crashes of this process, and of those it starts, leave none.
    static func forbid() {
        let cores = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(cores, &limit) == 0 else { return }
        limit.rlim_cur = 0
        _ = unsafe setrlimit(cores, &limit)
    }
}
