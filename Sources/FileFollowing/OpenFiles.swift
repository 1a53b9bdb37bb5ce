import Glibc

/// How many of the followed files are open, and may be. Used by the follower's thread only.
package final class OpenFiles {
    /// The process's limit of descriptors.
    package let descriptors: Int
    package let limit: Int
    private(set) var count = 0
    /// For files that are about to be opened.
    private var reserved = 0

    /// Those of the store, and 64 for sending.
    private static let others = 80
    /// Each takes some kilobytes.
    private static let most = 4_000
    private static let fewest = 16

    /// Allows this process as many as the system does. The usual soft limit of 1,024 is for programs that call select(2).
    package init() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if unsafe getrlimit(resource, &limit) == 0 {
            limit.rlim_cur = limit.rlim_max
            _ = unsafe setrlimit(resource, &limit)
            descriptors = Int(clamping: limit.rlim_cur)
        } else {
            descriptors = Self.most
        }
        self.limit = min(max(descriptors - Self.others, Self.fewest), Self.most)
    }

    package var hasRoom: Bool { count + reserved < limit }

    /// Sets a descriptor aside; false if there is none.
    package func reserve() -> Bool {
        guard hasRoom else { return false }
        reserved += 1
        return true
    }

    /// Gives up what was set aside: the files are open, or could not be opened.
    package func endReservations() { reserved = 0 }

    func opened() { count += 1 }

    func closed() {
        precondition(count > 0, "more files are closed than were opened")
        count -= 1
    }
}
