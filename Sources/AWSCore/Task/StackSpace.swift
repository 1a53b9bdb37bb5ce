import CRecorderThread
import Glibc

/// How much of the calling thread's stack is left.
enum StackSpace {
    /// True when a user's block should not be called any deeper: less than a tenth of the stack is left, and at least
    /// what Foundation's deeper calls need, on small stacks too.
    static var isShort: Bool {
        var here: UInt8 = 0
        let address = unsafe withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
        return address < limit
    }

    /// The address below which the stack is short; asked of the system once a thread.
    private static var limit: UInt {
        if let known = unsafe pthread_getspecific(key) {
            return UInt(bitPattern: known)
        }
        let measured = measure()
        unsafe pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: measured))
        return measured
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        guard unsafe pthread_key_create(&key, nil) == 0 else {
            fatalError("Cannot keep a value per thread: the process uses up all pthread keys.")
        }
        return key
    }()

    private static func measure() -> UInt {
        var attributes = pthread_attr_t()
        var lowest: UnsafeMutableRawPointer?
        var size = 0
        guard unsafe pthread_getattr_np(pthread_self(), &attributes) == 0 else { return 1 }
        defer { unsafe pthread_attr_destroy(&attributes) }
        guard unsafe pthread_attr_getstack(&attributes, &lowest, &size) == 0, let lowest = unsafe lowest else {
            return 1
        }
        let reserve = max(size / 10, min(128 * 1024, size / 4))
        return UInt(bitPattern: lowest) + UInt(reserve)
    }
}
