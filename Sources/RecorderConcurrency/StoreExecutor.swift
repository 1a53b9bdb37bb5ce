import Dispatch
import Glibc
import Synchronization

/// The threads of one store, which run its serial queues.
///
/// Jobs of a queue run in order, one at a time, on any thread that is free. There are as many threads as queues, so no queue
/// waits for another one's job, whatever that job waits for. In a process with many stores each has two threads, and gets
/// more when a queue has waited for 0.1 s. A thread starts when there is work and no thread is free, and ends after some
/// seconds without work: an idle store has no threads, and releasing a store stops nothing.
///
/// The system may refuse a thread. Then a job waits for one of the threads that there are, and ``ExecutorWatchdog`` tries again.
/// If there are none, a caller that can be refused is refused, after 0.2 s; who begins something long keeps a thread until its end.
/// What cannot be refused, such as a step of a task, runs on the calling thread.
///
/// A callback that blocks while others wait keeps its thread, and another thread takes its place (``ExecutorWatchdog``).
///
/// Why not dispatch queues: a thread here can continue with a job that its own job queued elsewhere, without waking another
/// thread; waking one takes a tenth of the time of an awaited save. For the same reason a thread that delivered completions
/// spins for some microseconds for the next save before it sleeps. The thread that worked last is woken first, because its
/// data is still in the processor's cache; that is 3 % of the processor time of a drain.
package final class StoreExecutor: Sendable {
    /// The serial queues, in the order in which a free thread looks for work.
    package enum Queue: Int, CaseIterable, Sendable {
        /// Everything that changes the file.
        case write
        /// Reading batches.
        case read
        /// The tasks of a flush.
        case flush
        /// Completions and events, which are application code.
        case callbacks
    }

    private let state = Locked(StoreExecutorState())
    /// Changes with each job that is queued.
    private let arrivals = Atomic(0)
    private let idleHandler = Locked<(@Sendable () -> Void)?>(nil)
    private let callbackLimitHandler = Locked<(@Sendable (Int) -> Void)?>(nil)

    /// How long a thread without work stays.
    private static let idleTimeout = DispatchTimeInterval.seconds(5)
    /// How long a thread that delivered completions spins for what they lead to, which often is the next save.
    private static let spinTime = Duration.microseconds(60)

    /// The threads of all executors.
    private static let threads = Atomic(0)
    static var hasThreads: Bool { threads.load(ordering: .sequentiallyConsistent) > 0 }
    /// From this number of threads in the process on, each store gets few.
    private static let manyThreads = 8
    /// How many threads an executor may have, besides those in blocked callbacks.
    static var threadLimit: Int { threads.load(ordering: .relaxed) < manyThreads ? Queue.allCases.count : 2 }

    /// How many callbacks of a store may be blocked while later ones continue. Beyond that, later callbacks wait until one of
    /// them returns.
    static let maximumBlockedCallbacks = 256
    /// How often waiting work is checked: a callback counts as blocked if it runs from one check to the next.
    private static let checkInterval = Duration.milliseconds(50)
    /// The same right after a callback was found blocked.
    private static let shortCheckInterval = Duration.milliseconds(5)
    /// How many short intervals follow.
    static let shortChecks = 100

    /// An executor without threads.
    package init() {}

    /// `handler` is called when the last thread ends for lack of work, and so with no job running.
    package func onIdle(_ handler: @escaping @Sendable () -> Void) {
        idleHandler.withLock { $0 = handler }
    }

    /// `handler` is called, once, when as many callbacks are blocked as may be; it gets their number.
    package func onCallbackLimit(_ handler: @escaping @Sendable (Int) -> Void) {
        callbackLimitHandler.withLock { $0 = handler }
    }

    // MARK: - queues

    /// Adds a job to a queue, from any thread. If there is no thread, and the system gives none, the calling one does the job.
    package func enqueue(on queue: Queue, _ job: @escaping @Sendable () -> Void) {
        enqueue(.block(job), on: queue)
    }

    /// The same for a job that can be refused.
    package func tryEnqueue(on queue: Queue, _ job: @escaping @Sendable () -> Void) throws(ThreadShortage) {
        guard !add(.block(job), to: queue) else { return }
        try keepThread()
        defer { releaseThread() }
        enqueue(.block(job), on: queue)
    }

    /// Adds application code, from any thread, after everything that was added before.
    package func enqueue(callbacks: CallbackRun) {
        enqueue(.callbacks(callbacks), on: .callbacks)
    }

    private func enqueue(_ job: StoreExecutorState.Job, on queue: Queue) {
        guard !add(job, to: queue) else { return }
        do throws(ThreadShortage) {
            try keepThread(timeout: .zero)
        } catch {
            return work(on: job, of: queue)
        }
        defer { releaseThread() }
        if !add(job, to: queue) { work(on: job, of: queue) }
    }

    /// Adds a job; false, and nothing is added, if there is no thread.
    private func add(_ job: StoreExecutorState.Job, to queue: Queue) -> Bool {
        let wakeup = state.withLock { state -> StoreExecutorState.Wakeup? in
            guard state.hasThread else { return nil }
            state.add(job, to: queue)
            return state.wakeup()
        }
        guard let wakeup else { return false }
        arrivals.add(1, ordering: .relaxed)
        perform(wakeup)
        return true
    }

    /// The calling thread does a job, and whatever else waits, as a thread of the executor.
    private func work(on job: StoreExecutorState.Job, of queue: Queue) {
        state.withLock { state in
            state.beginGuest()
            state.add(job, to: queue)
        }
        workAsGuest()
    }

    private func workAsGuest() {
        Self.current.with(self) {
            var next = state.withLock { $0.nextOfGuest() }
            while let work = next.take() {
                let (queue, number) = (work.queue, work.number)
                perform(consume work)
                next = state.withLock { $0.nextOfGuest(afterJob: number, of: queue) }
            }
        }
    }

    /// Adds a job from another job, whose thread continues with it as soon as that one ends.
    package func enqueueNext(on queue: Queue, _ job: @escaping @Sendable () -> Void) {
        enqueueNext(.block(job), on: queue)
    }

    /// Adds application code from a job, whose thread continues with it as soon as the job ends.
    package func enqueueNext(callbacks: CallbackRun) {
        enqueueNext(.callbacks(callbacks), on: .callbacks)
    }

    private func enqueueNext(_ job: StoreExecutorState.Job, on queue: Queue) {
        assert(isOnOwnThread, "No thread of the executor will continue with this job: use `enqueue`.")
        let startsWatchdog = state.withLock { state in
            state.add(job, to: queue)
            return state.startsWatchdog()
        }
        if startsWatchdog { watch() }
    }

    /// Runs work of a queue on the calling thread, if nothing is queued or running there; returns nil otherwise.
    package func performIfIdle<T>(on queue: Queue, _ work: () -> T) -> T? {
        guard state.withLock({ $0.begin(queue) }) else { return nil }
        defer {
            let wakeup = state.withLock { state -> StoreExecutorState.Wakeup? in
                state.end(queue)
                if state.beginGuestIfStranded() { return nil }
                return state.wakeup()
            }
            if let wakeup { perform(wakeup) } else { workAsGuest() }
        }
        return work()
    }

    // MARK: - threads

    /// The executor that the calling thread belongs to.
    private static let current = ThreadReference()

    private var isOnOwnThread: Bool { Self.current.isSet(to: self) }

    /// Sees to it that there is a thread until `releaseThread`, which must be called as often.
    package func keepThread(timeout: Duration = ThreadShortage.timeout) throws(ThreadShortage) {
        guard state.withLock({ $0.keepThread() }) else { return }
        do throws(ThreadShortage) {
            try start(timeout)
        } catch {
            releaseThread()
            throw error
        }
    }

    package func releaseThread() {
        state.withLock { $0.releaseThread() }?.signal()
    }

    private func perform(_ wakeup: StoreExecutorState.Wakeup) {
        perform(wakeup.thread)
        if wakeup.startsWatchdog { watch() }
    }

    private func perform(_ action: StoreExecutorState.Wakeup.ThreadAction) {
        switch action {
        case .none: break
        case .wake(let thread): thread.signal()
        // There are other threads, or a caller that knows that there are none.
        case .start: try? start(.zero)
        }
    }

    /// Starts a thread that the state counts already.
    private func start(_ timeout: Duration) throws(ThreadShortage) {
        Self.threads.add(1, ordering: .sequentiallyConsistent)
        do throws(ThreadShortage) {
            try ExecutorWatchdog.shared.start(timeout)
            try startThread(named: "recorder-store", timeout: timeout) {
                Self.current.with(self) { self.runThread() }
                Self.threadEnded()
            }
            state.withLock { $0.threadExists() }
        } catch {
            if state.withLock({ $0.threadFailed() }) { watch() }
            Self.threadEnded()
            throw error
        }
    }

    private static func threadEnded() {
        let left = threads.subtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0 { ExecutorWatchdog.shared.lastThreadEnded() }
    }

    private func watch() {
        ExecutorWatchdog.shared.watch(self, after: Self.checkInterval)
    }

    /// Gets threads for work that has waited since the last check; returns when to check again, if anything still waits.
    func checkWaitingWork() -> Duration? {
        let check = state.withLock { $0.check() }
        perform(check.thread)
        if check.isAtLimit, let handler = callbackLimitHandler.withLock({ $0.take() }) {
            handler(Self.maximumBlockedCallbacks)
        }
        return switch check.next {
        case .usual: Self.checkInterval
        case .soon: Self.shortCheckInterval
        case nil: nil
        }
    }

    private func runThread() {
        let semaphore = DispatchSemaphore(value: 0)
        var last: Queue?
        var next = state.withLock { $0.threadStarted() }
        while let work = next.take() ?? waitForWork(semaphore) {
            let (queue, number) = (work.queue, work.number)
            perform(consume work)
            let hasCompletedSaves = queue == .callbacks && last == .write
            last = queue
            let seen = arrivals.load(ordering: .relaxed)
            next = state.withLock { $0.next(afterJob: number, of: queue, spins: hasCompletedSaves) }
            if next == nil, hasCompletedSaves { next = spin(until: seen) }
        }
    }

    /// Releases the job, which may hold application objects, when it has ended and no lock is held.
    private func perform(_ work: consuming StoreExecutorState.Work) {
        perform(work.wakeup)
        switch work.job {
        case .block(let block): block()
        case .callbacks(let run): run.perform(as: work.owner)
        }
    }

    /// Returns when a job has been queued since the count was `seen`, or after a while.
    private func spin(until seen: Int) -> StoreExecutorState.Work? {
        let end = ContinuousClock.now + Self.spinTime
        while arrivals.load(ordering: .relaxed) == seen, ContinuousClock.now < end { sched_yield() }
        return state.withLock { $0.endSpinning() }
    }

    /// Returns nil if there was no work for the idle timeout.
    private func waitForWork(_ semaphore: DispatchSemaphore) -> StoreExecutorState.Work? {
        var wasWoken = false
        while true {
            if let work = state.withLock({ $0.nextOrSleep(semaphore, wasWoken: wasWoken) }) { return work }
            if semaphore.wait(timeout: .now() + Self.idleTimeout) == .timedOut {
                if let isLast = state.withLock({ $0.threadEnds(semaphore) }) {
                    if isLast { idleHandler.withLock { $0 }?() }
                    return nil
                }
                // Kept, or woken at the same moment.
                semaphore.wait()
            }
            wasWoken = true
        }
    }
}

/// The tasks of a flush run on a queue of the store, so that they can do work of another queue inline: waking a thread for it,
/// and being woken by that one, would cost as much as signing a request.
extension StoreExecutor: TaskExecutor {
    /// Runs a job of a task on the flush queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        enqueue(on: .flush) { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
