import CRecorderThread
import Dispatch
import Glibc

/// Starts a thread that ends with `body`. `name` shows in debuggers and `top`; at most 15 bytes.
///
/// Foundation's `Thread` would add all of Foundation to a program, and a name that is set before its start never reaches the
/// system. If the system has no thread to give, this tries again for as long as `timeout` says.
package func startThread(
    named name: String,
    timeout: Duration = ThreadShortage.timeout,
    _ body: @escaping @Sendable () -> Void
) throws(ThreadShortage) {
    let context = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let start = ContinuousClock.now
    var thread = pthread_t()
    while unsafe pthread_create(&thread, nil, runThread, context.toOpaque()) != 0 {
        guard ContinuousClock.now - start < timeout else {
            unsafe context.release()
            throw ThreadShortage()
        }
        usleep(10_000)
    }
    pthread_detach(thread)
}

/// The system gives this process no further thread: a limit of the user, of the unit or of the container is reached.
package struct ThreadShortage: Error, Sendable {
    /// How long a call tries that has no other way.
    package static let timeout = Duration.milliseconds(200)

    package init() {}

    /// What completes a sentence.
    package var reason: String { "the system gives this process no further thread" }

    package var message: String {
        "The system gives this process no further thread. Stop other programs of this user, or raise the limit: ulimit -u, or "
            + "LimitNPROC= and TasksMax= of a systemd unit."
    }
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
package func onNewThread<T: Sendable>(
    named name: String,
    _ work: @escaping @Sendable () -> T
) async throws(ThreadShortage) -> T {
    let result: Result<T, ThreadShortage> = await withCheckedContinuation { continuation in
        do throws(ThreadShortage) {
            try startThread(named: name) { continuation.resume(returning: .success(work())) }
        } catch {
            continuation.resume(returning: .failure(error))
        }
    }
    return try result.get()
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

    /// Sets the calling thread's reference, without retaining it, while `body` runs.
    package func with(_ object: AnyObject, _ body: () -> Void) {
        let before = unsafe pthread_getspecific(key)
        _ = unsafe pthread_setspecific(key, Unmanaged.passUnretained(object).toOpaque())
        body()
        _ = unsafe pthread_setspecific(key, before)
    }
}
