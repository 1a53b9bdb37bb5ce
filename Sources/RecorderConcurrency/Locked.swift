public import Synchronization

/// A value behind a lock; use it wherever `Mutex` would do.
///
/// The thread sanitizer cannot see into `Mutex`, which is in a library that was built without it, and would report every use of
/// the value as a race. The flag, written on the way out and read on the way in, shows it the order; in a release build it costs
/// less than a nanosecond.
///
/// Public, although no product exports it: the compiler does not specialize a `package` generic in another target, and the
/// unspecialized code takes twenty times as long.
public struct Locked<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let order = Atomic(false)

    /// A free lock around a value.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the value while no other thread has it; blocks until it is free.
    ///
    /// Keep `body` short. Taking the same lock within it is a deadlock.
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

extension Locked where Value: Sendable {
    /// Changes the value. What it held is released after the lock: if that is a user's object, its `deinit` may take the lock.
    public borrowing func replace(_ change: (inout Value) -> Void) {
        let old = withLock { value in
            let old = value
            change(&value)
            return old
        }
        withExtendedLifetime(old) {}
    }
}
