import Foundation
import RecorderConcurrency
import Synchronization

/// The threads of one store, and the lanes of work at which they take turns.
///
/// A lane is a serial queue: its jobs run in order, one at a time, on whichever thread is free. There are as many threads
/// as lanes, so no lane ever waits for another's job, whatever that job waits for. Where many stores have threads there are
/// two for each, and a third one after 0.1 s in which a lane waited. A thread is started when there is work that no other
/// one is free for, and ends after some seconds without any: an idle store has none, and nothing has to be stopped when a
/// store is released.
///
/// A callback that blocks while others wait keeps its thread, and another thread takes its place (see `StoreWatchdog`).
///
/// Unlike with dispatch queues, a thread can go on with what its job left to another lane, and wake nobody: to wake a
/// thread costs an awaited save a tenth of its time. For the same reason a thread that delivered completions looks out for
/// the next save for some microseconds before it sleeps. Who worked last is called first: what it worked on is near its
/// processor still, which is worth 3 % of a drain's processor time.
final class StoreExecutor: Sendable {
    /// In the order in which a thread that is free looks for work.
    enum Lane: Int, CaseIterable {
        /// Everything that changes the file.
        case write
        /// Batches.
        case read
        /// The tasks of a flush.
        case flush
        /// Completions and events, which is the application's code: see `call`.
        case deliver
    }

    private let state = Locked(StoreExecutorState())
    /// Changes with each job that is added.
    private let arrivals = Atomic(0)
    private let idleAction = Locked<(@Sendable () -> Void)?>(nil)
    /// Whether the log was told that too many callbacks are stuck.
    private let isAtLimit = Atomic(false)

    /// How long a thread without work stays.
    private static let patience = DispatchTimeInterval.seconds(5)
    /// How long a thread that delivered completions looks out for what they lead to: often, the next save.
    private static let lookout = Duration.microseconds(60)

    /// Threads of all stores.
    private static let threads = Atomic(0)
    /// With more threads than this in the process, a store has few.
    private static let manyThreads = 8
    /// How many threads a store may have, beside those whose callbacks are stuck.
    static var threadLimit: Int { threads.load(ordering: .relaxed) < manyThreads ? Lane.allCases.count : 2 }

    /// Callbacks of a store that may be blocked at the same time while later ones go on. Beyond it later callbacks wait until
    /// one of them ends: an application that blocks so many threads will not have more.
    static let maximumStuckThreads = 256
    /// How long a callback may run before it counts as blocked, twice at most.
    private static let blockedAfter = Duration.milliseconds(50)
    /// The same right after another one did.
    private static let blockedSoonAfter = Duration.milliseconds(5)
    /// For so many looks.
    static let quickLooks = 100

    /// Adds a job to a lane, from any thread.
    func run(_ lane: Lane, _ job: @escaping @Sendable () -> Void) {
        run(lane, .block(job))
    }

    /// Calls the application's code, from any thread, after all that was added before.
    func call(_ callbacks: CallbackRun) {
        run(.deliver, .callbacks(callbacks))
    }

    private func run(_ lane: Lane, _ job: StoreExecutorState.Job) {
        let help = state.withLock { state in
            state.add(job, to: lane)
            return state.help()
        }
        arrivals.add(1, ordering: .relaxed)
        bring(help)
    }

    /// Adds a job to a lane from another job, whose thread goes on with it as soon as that ends.
    func runNext(_ lane: Lane, _ job: @escaping @Sendable () -> Void) {
        runNext(lane, .block(job))
    }

    /// The same for the application's code.
    func callNext(_ callbacks: CallbackRun) {
        runNext(.deliver, .callbacks(callbacks))
    }

    private func runNext(_ lane: Lane, _ job: StoreExecutorState.Job) {
        assert(isOnItsThread, "No thread of the crew goes on with this job: use `run`.")
        let isToWatch = state.withLock { state in
            state.add(job, to: lane)
            return state.startsWatch()
        }
        if isToWatch { watch() }
    }

    /// Does a job of a lane at once, within another job, if nothing waits there or is under way; nil otherwise.
    func runHere<T>(_ lane: Lane, _ job: () -> T) -> T? {
        guard state.withLock({ $0.take(lane) }) else { return nil }
        defer {
            let help = state.withLock { state in
                state.giveBack(lane)
                return state.help()
            }
            bring(help)
        }
        return job()
    }

    // MARK: - threads

    /// What a thread's dictionary has its crew under.
    private static let mark = "crew"

    private var isOnItsThread: Bool { Thread.current.threadDictionary[Self.mark] as? StoreExecutor === self }

    private func bring(_ help: StoreExecutorState.Help) {
        bring(help.thread)
        if help.isToWatch { watch() }
    }

    private func bring(_ help: StoreExecutorState.Help.Thread) {
        switch help {
        case .none: break
        case .call(let thread): thread.signal()
        case .start:
            Self.threads.add(1, ordering: .relaxed)
            let thread = Thread {
                nameCurrentThread("recorder-store")
                self.work()
                Self.threads.subtract(1, ordering: .relaxed)
            }
            thread.threadDictionary[Self.mark] = self
            thread.start()
        }
    }

    private func watch() {
        StoreWatchdog.shared.watch(self, after: Self.blockedAfter)
    }

    /// Gets threads for work that has waited since the last look; returns when to look next, if anything still waits.
    func lookAtWaitingWork() -> Duration? {
        let look = state.withLock { $0.look() }
        bring(look.help)
        if look.isAtLimit, !isAtLimit.exchange(true, ordering: .relaxed) {
            PipelineLog.stuckCallbacks(Self.maximumStuckThreads)
        }
        return switch look.next {
        case .usual: Self.blockedAfter
        case .soon: Self.blockedSoonAfter
        case nil: nil
        }
    }

    /// Called by the last thread that ends for want of work, and so with nothing under way but what waits for an answer.
    func onIdle(_ action: @escaping @Sendable () -> Void) {
        idleAction.withLock { $0 = action }
    }

    private func work() {
        let call = DispatchSemaphore(value: 0)
        var last: Lane?
        var next = state.withLock { $0.begin() }
        while let work = next.take() ?? waitForWork(call) {
            let job = (work.lane, work.number)
            perform(consume work)
            let hasCompletedSaves = job.0 == .deliver && last == .write
            last = job.0
            let seen = arrivals.load(ordering: .relaxed)
            next = state.withLock { $0.next(after: job, looksOut: hasCompletedSaves) }
            if next == nil, hasCompletedSaves { next = lookOut(beyond: seen) }
        }
    }

    /// Releases the job when it is done, which may be the user's: under no lock.
    private func perform(_ work: consuming StoreExecutorState.Work) {
        bring(work.help)
        switch work.job {
        case .block(let block): block()
        case .callbacks(let run): run.perform(work.turn)
        }
    }

    /// Returns when a job was added since there were so many, or after a while.
    private func lookOut(beyond seen: Int) -> StoreExecutorState.Work? {
        let end = ContinuousClock.now + Self.lookout
        while arrivals.load(ordering: .relaxed) == seen, ContinuousClock.now < end { sched_yield() }
        return state.withLock { $0.endLookout() }
    }

    /// Nil when there was nothing to do for long.
    private func waitForWork(_ call: DispatchSemaphore) -> StoreExecutorState.Work? {
        var wasCalled = false
        while true {
            if let work = state.withLock({ $0.nextOrRest(call, wasCalled: wasCalled) }) { return work }
            if call.wait(timeout: .now() + Self.patience) == .timedOut {
                if let isLast = state.withLock({ $0.leave(call) }) {
                    if isLast { idleAction.withLock { $0 }?() }
                    return nil
                }
                // Somebody called just now.
                call.wait()
            }
            wasCalled = true
        }
    }
}
