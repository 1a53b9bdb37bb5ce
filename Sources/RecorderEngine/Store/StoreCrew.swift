import Foundation
import RecorderConcurrency
import Synchronization

/// The threads of one store, and the lanes of work at which they take turns.
///
/// A lane is a serial queue: its jobs run in order, one at a time, on whichever thread is free. There are as many threads
/// as lanes, so no lane ever waits for another's job, whatever that job waits for. A thread is started when there is work
/// that no other one is free for, and ends after some seconds without any: an idle store has none, and whoever releases a
/// store has nothing to stop.
///
/// Unlike with dispatch queues, a thread can go on with what its job left to another lane, and wake nobody: to wake a
/// thread costs an awaited save a tenth of its time. For the same reason a thread that delivered completions looks out for
/// the next save for some microseconds before it sleeps. Who worked last is called first: what it worked on is near its
/// processor still, which is worth 3 % of a drain's processor time.
final class StoreCrew: Sendable {
    /// In the order in which a thread that is free looks for work.
    enum Lane: Int, CaseIterable {
        /// Everything that changes the file.
        case write
        /// Batches.
        case read
        /// The tasks of a flush.
        case flush
        /// Completions and events, which is user code.
        ///
        /// A block that takes its time delays the later ones, but no commit, settle or submit. A block that waits for
        /// another completion of the same store waits for ever.
        case deliver
    }

    typealias Job = @Sendable () -> Void

    private let state = Locked(CrewState())
    /// Changes with each job that is added.
    private let arrivals = Atomic(0)

    /// How long a thread without work stays.
    private static let patience = DispatchTimeInterval.seconds(5)
    /// How long a thread that delivered completions looks out for what they lead to: often, the next save.
    private static let lookout = Duration.microseconds(60)

    /// Adds a job to a lane, from any thread.
    func run(_ lane: Lane, _ job: @escaping Job) {
        let help = state.withLock { state in
            state.add(job, to: lane)
            return state.help()
        }
        arrivals.add(1, ordering: .relaxed)
        bring(help)
    }

    /// Adds a job to a lane from another job, whose thread goes on with it as soon as that ends.
    func runNext(_ lane: Lane, _ job: @escaping Job) {
        assert(isOnItsThread, "No thread of the crew goes on with this job: use `run`.")
        state.withLock { $0.add(job, to: lane) }
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

    private var isOnItsThread: Bool { Thread.current.threadDictionary[Self.mark] as? StoreCrew === self }

    private func bring(_ help: CrewState.Help) {
        switch help {
        case .none: break
        case .call(let thread): thread.signal()
        case .start:
            let thread = Thread { self.work() }
            thread.name = "recorder-store"
            thread.threadDictionary[Self.mark] = self
            thread.start()
        }
    }

    private func work() {
        let call = DispatchSemaphore(value: 0)
        var last: Lane?
        var next = state.withLock { $0.begin() }
        while let work = next.take() ?? waitForWork(call) {
            let lane = work.lane
            perform(consume work)
            let hasCompletedSaves = lane == .deliver && last == .write
            last = lane
            let seen = arrivals.load(ordering: .relaxed)
            next = state.withLock { $0.next(after: lane, looksOut: hasCompletedSaves) }
            if next == nil, hasCompletedSaves { next = lookOut(beyond: seen) }
        }
    }

    /// Releases the job when it is done, which may be the user's: under no lock.
    private func perform(_ work: consuming CrewState.Work) {
        bring(work.help)
        work.job()
    }

    /// Returns when a job was added since there were so many, or after a while.
    private func lookOut(beyond seen: Int) -> CrewState.Work? {
        let end = ContinuousClock.now + Self.lookout
        while arrivals.load(ordering: .relaxed) == seen, ContinuousClock.now < end { sched_yield() }
        return state.withLock { $0.endLookout() }
    }

    /// Nil when there was nothing to do for long.
    private func waitForWork(_ call: DispatchSemaphore) -> CrewState.Work? {
        var wasCalled = false
        while true {
            if let work = state.withLock({ $0.nextOrRest(call, wasCalled: wasCalled) }) { return work }
            if call.wait(timeout: .now() + Self.patience) == .timedOut {
                if state.withLock({ $0.leave(call) }) { return nil }
                // Somebody called just now.
                call.wait()
            }
            wasCalled = true
        }
    }
}
