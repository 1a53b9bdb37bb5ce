import CRecorderThread
import Dispatch
import Glibc

/// Starts a thread that ends with `body`. `name` shows in debuggers and `top`; at most 15 bytes.
///
/// Foundation's `Thread` would add all of Foundation to a program, and a name that is set before its start never reaches the
/// system. If the machine has no thread left, this waits until it has one.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    let context = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body)).toOpaque()
    var thread = pthread_t()
    while true {
        let status = unsafe pthread_create(&thread, nil, runThread, context)
        if status == 0 { break }
        usleep(10_000)
    }
    pthread_detach(thread)
}

/// Whether the system gives this process so many more threads now.
package func hasThreads(_ count: Int) -> Bool {
    let gate = DispatchSemaphore(value: 0)
    var threads: [pthread_t] = []
    for _ in 0..<count {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(ThreadStart(name: "recorder-probe") { gate.wait() })
        guard unsafe pthread_create(&thread, nil, runThread, context.toOpaque()) == 0 else {
            unsafe context.release()
            break
        }
        threads.append(thread)
    }
    for _ in threads { gate.signal() }
    for thread in threads { pthread_join(thread, nil) }
    return threads.count == count
}

/// Does blocking work on a thread of its own: the threads of the cooperative pool must not block.
package func onNewThread<T: Sendable>(named name: String, _ work: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
        startThread(named: name) { continuation.resume(returning: work()) }
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    _ = unsafe pthread_setname_np(pthread_self(), start.name)
    start.body()
    return nil
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// One reference for each thread; nil at first.
package struct ThreadReference: Sendable {
    private let key: pthread_key_t

    /// A key for the life of the process.
    package init() {
        var key = pthread_key_t()
        let status = unsafe pthread_key_create(&key, nil)
        precondition(status == 0, "The process has too many thread-specific keys.")
        self.key = key
    }

    /// Whether the calling thread's reference is this one.
    package func isSet(to object: AnyObject) -> Bool {
        unsafe pthread_getspecific(key) == Unmanaged.passUnretained(object).toOpaque()
    }

    /// Sets the calling thread's reference, without retaining it.
    package func set(_ object: AnyObject) {
        _ = unsafe pthread_setspecific(key, Unmanaged.passUnretained(object).toOpaque())
    }
}
