import CRecorderThread
import Foundation
import Glibc

/// How much of the calling thread's stack is left.
enum StackSpace {
    /// True if less than a tenth of the stack is left, or less than Foundation's deeper calls need on a small stack. User
    /// blocks are not called any deeper then.
    static var isLow: Bool {
        var here: UInt8 = 0
        let address = unsafe withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
        return address < limit
    }

    /// The address below which the stack is low; queried once per thread.
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
            fatalError("Cannot create a thread-specific key: the process has used all of them.")
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

/// The thread that runs the main queue.
enum MainThread {
    /// True on the main thread, and on any other thread that is running the main queue: after `dispatchMain()`, or in a
    /// program with an `async` main function, Linux runs that queue on another thread.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) != nil
    }

    /// Warns on standard error, once per process, that the main thread is blocked by a task.
    static func warnAboutWaiting() {
        _ = warning
    }

    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// Standard error may be closed, or a pipe without a reader.
    private static let warning: Void? = try? FileHandle.standardError.write(
        contentsOf: Data(
            """
            Warning: AWSTask.waitUntilFinished() is blocking the main thread; nothing on the main queue runs meanwhile.
            If the task needs the main queue it never finishes: use continueWith(block:) or await its value instead.

            """.utf8
        )
    )
}
