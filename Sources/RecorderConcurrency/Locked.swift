public import Synchronization

/// A value behind a lock; use it wherever `Mutex` would do.
///
/// The thread sanitizer does not see into `Mutex`, which lives in a library it did not build, and would report every use
/// of the value as a race. The flag, written on the way out and read on the way in, shows it the order; in a release
/// build it costs less than a nanosecond.
///
/// Public, although no product offers it: the compiler makes no copy of a `package` generic for the types it is used with
/// in another target, and each use would look them up at run time, at twenty times the cost.
public struct Locked<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let order = Atomic(false)

    /// A lock that nobody holds, around a value that nobody else has.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the value while no other thread has it; blocks until it is free.
    ///
    /// Keep `body` short, and take the same lock within it never: that is a deadlock.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value) throws(Failure) in
            _ = order.load(ordering: .acquiring)
            defer { order.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
