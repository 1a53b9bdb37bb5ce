import Synchronization

/// A value behind a lock, in a form that the thread sanitizer follows.
///
/// The sanitizer does not see into `Mutex`, which lives in a library it did not build, and would report every use of the
/// value as a race. The flag, written on the way out and read on the way in, shows it the order; it costs a nanosecond.
struct Locked<Value>: ~Copyable {
    private let mutex: Mutex<Value>
    private let order = Atomic(false)

    init(_ value: sending Value) {
        mutex = Mutex(value)
    }

    borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        mutex.withLock { value in
            _ = order.load(ordering: .acquiring)
            defer { order.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}
