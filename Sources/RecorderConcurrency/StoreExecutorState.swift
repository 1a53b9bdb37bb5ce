import Dispatch

/// The queued work of a ``StoreExecutor`` and the state of its threads. Every change is made under the executor's lock.
struct StoreExecutorState {
    typealias Queue = StoreExecutor.Queue

    /// What wakes a sleeping thread.
    typealias Semaphore = DispatchSemaphore

    enum Job: Sendable {
        case block(@Sendable () -> Void)
        /// Always on the queue `callbacks`.
        case callbacks(CallbackRun)
    }

    /// A job to run now.
    struct Work: Sendable {
        let queue: Queue
        let job: Job
        /// Counts the jobs of the executor.
        let number: Int
        /// The number of the owner of a run of callbacks.
        let owner: UInt64
        /// What to do for the other work that is queued.
        let wakeup: Wakeup
    }

    /// What to do for queued work.
    struct Wakeup: Sendable {
        enum ThreadAction: Sendable {
            case none, start
            case wake(Semaphore)
        }

        var thread = ThreadAction.none
        var startsWatchdog = false
    }

    private struct SerialQueue {
        var jobs = FIFO<Job>()
        var isRunning = false
        var isWaiting: Bool { !isRunning && !jobs.isEmpty }
    }

    private var queues = Queue.allCases.map { _ in SerialQueue() }
    private var threads = 0
    /// Threads that sleep and have not been woken; the last is the one that worked last.
    private var sleeping: [Semaphore] = []
    /// Threads that were woken, and have not looked for work yet.
    private var woken = 0
    /// Threads that were started, and have not looked for work yet.
    private var starting = 0
    /// Threads that are counted, and that the system has not given yet.
    private var requested = 0
    /// How many callers keep a thread.
    private var keepers = 0
    /// The thread that sleeps for longer than others, because it is kept.
    private var kept: Semaphore?
    /// Threads that spin for a job and need no wakeup.
    private var spinning = 0
    /// Jobs that have started.
    private var started = 0
    /// The callbacks that run, unless their thread is blocked, and the number of their job.
    private var callbacks: (run: CallbackRun, number: Int, startedBefore: Int)?
    /// Threads in a callback that blocked while others waited; another thread has taken over the queue.
    private var blocked = 0
    private var lastCheck: Progress?

    mutating func add(_ job: Job, to queue: Queue) {
        queues[queue.rawValue].jobs.append(job)
    }

    /// Marks a queue as running, for a job that was not queued; false if anything is queued or running there.
    mutating func begin(_ queue: Queue) -> Bool {
        guard !queues[queue.rawValue].isRunning, queues[queue.rawValue].jobs.isEmpty else { return false }
        queues[queue.rawValue].isRunning = true
        return true
    }

    mutating func end(_ queue: Queue) {
        queues[queue.rawValue].isRunning = false
    }

    /// The thread to wake or start for the queues that wait, besides the threads that are on their way.
    mutating func wakeup() -> Wakeup {
        var wakeup = Wakeup()
        if needsThread {
            if let thread = sleeping.popLast() {
                woken += 1
                wakeup.thread = .wake(thread)
            } else if threads < blocked + StoreExecutor.threadLimit {
                wakeup.thread = startThread()
            }
        }
        wakeup.startsWatchdog = startsWatchdog()
        return wakeup
    }

    private var needsThread: Bool {
        queues.count(where: \.isWaiting) > woken + starting + spinning
    }

    private mutating func startThread() -> Wakeup.ThreadAction {
        threads += 1
        starting += 1
        requested += 1
        return .start
    }

    // MARK: - threads that the system gives, or not

    /// Whether a thread is or will be free for a job.
    var hasThread: Bool { threads - requested > blocked }

    /// A thread that was started exists.
    mutating func threadExists() { requested -= 1 }

    /// A thread could not be started. Returns whether the watchdog must be started for what it would have done.
    mutating func threadFailed() -> Bool {
        threads -= 1
        starting -= 1
        requested -= 1
        return startsWatchdog()
    }

    /// The last thread stays until `releaseThread`. Returns whether one must be started.
    mutating func keepThread() -> Bool {
        keepers += 1
        guard !hasThread else { return false }
        _ = startThread()
        return true
    }

    /// Returns the thread to wake, which is no longer kept.
    mutating func releaseThread() -> Semaphore? {
        keepers -= 1
        assert(keepers >= 0, "a thread was released that no caller keeps")
        guard keepers == 0, let thread = kept.take(), let index = sleeping.firstIndex(where: { $0 === thread }) else {
            return nil
        }
        sleeping.remove(at: index)
        woken += 1
        return thread
    }

    /// Counts a thread of somebody else, which does what there is to do.
    mutating func beginGuest() { threads += 1 }

    /// The same if something waits that was queued when there was no thread, and that its caller could not do. (While a callback is
    /// blocked, the watchdog gets a thread.)
    mutating func beginGuestIfStranded() -> Bool {
        guard blocked == 0, !hasThread, queues.contains(where: \.isWaiting) else { return false }
        beginGuest()
        return true
    }

    /// The next job for such a thread; if there is none, it is no longer counted.
    mutating func nextOfGuest() -> Work? {
        let work = next()
        if work == nil { threads -= 1 }
        return work
    }

    /// The same after a job has ended.
    mutating func nextOfGuest(afterJob number: Int, of queue: Queue) -> Work? {
        endJob(number, of: queue)
        return nextOfGuest()
    }

    // MARK: - how a thread gets its next job

    mutating func threadStarted() -> Work? {
        starting -= 1
        return next()
    }

    /// The next job after one has ended. If there is none, the thread is counted as spinning, if it is going to.
    mutating func next(afterJob number: Int, of queue: Queue, spins: Bool) -> Work? {
        endJob(number, of: queue)
        let work = next()
        if work == nil, spins { spinning += 1 }
        return work
    }

    private mutating func endJob(_ number: Int, of queue: Queue) {
        if queue == .callbacks {
            guard callbacks?.number == number else {
                blocked -= 1
                return
            }
            callbacks = nil
        }
        end(queue)
    }

    mutating func endSpinning() -> Work? {
        spinning -= 1
        return next()
    }

    /// The next job; if there is none, the thread is counted as sleeping.
    mutating func nextOrSleep(_ thread: Semaphore, wasWoken: Bool) -> Work? {
        if wasWoken { woken -= 1 }
        if let work = next() { return work }
        sleeping.append(thread)
        return nil
    }

    /// Ends a thread that still sleeps; nil if it is kept, or has been woken and must look for work.
    ///
    /// - Returns: whether no other thread is left, except in blocked callbacks.
    mutating func threadEnds(_ thread: Semaphore) -> Bool? {
        guard let index = sleeping.firstIndex(where: { $0 === thread }) else { return nil }
        if keepers > 0, threads - requested == blocked + 1 {
            kept = thread
            return nil
        }
        sleeping.remove(at: index)
        threads -= 1
        return threads == blocked
    }

    private mutating func next() -> Work? {
        guard let queue = Queue.allCases.first(where: { queues[$0.rawValue].isWaiting }),
            let job = queues[queue.rawValue].jobs.popFirst()
        else { return nil }
        queues[queue.rawValue].isRunning = true
        started += 1
        var owner: UInt64 = 0
        if case .callbacks(let run) = job {
            callbacks = (run, started, run.started)
            owner = run.owner
        }
        return Work(queue: queue, job: job, number: started, owner: owner, wakeup: wakeup())
    }
}

// MARK: - the watchdog's checks

extension StoreExecutorState {
    /// How far the work had come at the last check.
    private struct Progress {
        /// Jobs that had started.
        let started: Int
        /// The job of the running callbacks, and how many of them had started.
        let number: Int?
        let callbacksStarted: Int?
        /// How many short intervals are left: after one callback that waited for another, the next one often does too.
        var shortChecks = 0
    }

    /// The result of a check.
    struct Check: Sendable {
        var thread = Wakeup.ThreadAction.none
        var next: NextCheck?
        /// Whether callbacks wait and no more threads may be started for them.
        var isAtLimit = false
    }

    enum NextCheck: Sendable {
        case usual, soon
    }

    /// Whether callbacks wait behind the one that runs.
    private var hasWaitingCallbacks: Bool {
        guard let callbacks else { return false }
        return callbacks.run.hasMore || !queues[Queue.callbacks.rawValue].jobs.isEmpty
    }

    /// Whether a queue waits because the executor may have few threads.
    private var isShortOfThreads: Bool { threads < blocked + queues.count && needsThread }

    private func progress(shortChecks: Int = 0) -> Progress {
        Progress(
            started: started,
            number: callbacks?.number,
            callbacksStarted: callbacks?.run.started,
            shortChecks: shortChecks
        )
    }

    /// Whether the watchdog must be started: something waits, and is not watched yet.
    mutating func startsWatchdog() -> Bool {
        guard lastCheck == nil, hasWaitingCallbacks || isShortOfThreads else { return false }
        lastCheck = progress()
        return true
    }

    /// Gets threads for what has waited since the last check.
    mutating func check() -> Check {
        var check = Check()
        guard var last = lastCheck else { return check }
        if last.shortChecks > 0 { last.shortChecks -= 1 }
        if isCallbackBlocked(since: last) {
            if blocked < StoreExecutor.maximumBlockedCallbacks {
                takeOverCallbacks()
                last.shortChecks = StoreExecutor.shortChecks
                check.thread = wakeup().thread
            } else {
                check.isAtLimit = true
            }
        } else if isShortOfThreads, last.started == started {
            check.thread = startThread()
        }
        lastCheck = nil
        // A thread may be on its way to callbacks that wait while none runs.
        if hasWaitingCallbacks || queues[Queue.callbacks.rawValue].isWaiting || isShortOfThreads {
            lastCheck = progress(shortChecks: last.shortChecks)
            check.next = last.shortChecks > 0 ? .soon : .usual
        }
        return check
    }

    /// Whether the callback that ran at the last check still runs while others wait.
    private func isCallbackBlocked(since last: Progress) -> Bool {
        guard hasWaitingCallbacks, let callbacks, callbacks.number == last.number else { return false }
        // A thread that has not reached its first callback is not blocked by one.
        let started = callbacks.run.started
        return started == last.callbacksStarted && started > callbacks.startedBefore
    }

    /// Leaves the running callback to its thread, and the others to the next one.
    private mutating func takeOverCallbacks() {
        guard let run = callbacks?.run else { return }
        run.changeOwner()
        callbacks = nil
        blocked += 1
        if run.hasMore { queues[Queue.callbacks.rawValue].jobs.prepend(.callbacks(run)) }
        end(.callbacks)
    }
}
