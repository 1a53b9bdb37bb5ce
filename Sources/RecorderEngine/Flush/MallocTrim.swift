import CRecorderThread

/// Gives the memory of large requests back to the system.
///
/// Once a large block was freed, glibc keeps others of its size for later, in each of the heaps that threads have: a flush
/// of 10 MB batches, never two in memory at once, took 100 MB at its peak where 72 MB do.
enum MallocTrim {
    private static let large = 4 * 1_024 * 1_024

    static func giveBack(after bytes: Int) {
        if bytes >= large { _ = malloc_trim(0) }
    }
}
