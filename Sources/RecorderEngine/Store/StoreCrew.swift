import Foundation
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
/// the next save for some microseconds before it sleeps.
///
/// Safe to share between threads, because each use of its variables is under `condition`.
final class StoreCrew: @unchecked Sendable {
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

    private struct Line {
        var jobs = FIFO<Job>()
        var isRunning = false
        var isWaiting: Bool { !isRunning && !jobs.isEmpty }
    }

    private let condition = NSCondition()
    private var lines = Lane.allCases.map { _ in Line() }
    private var threads = 0
    /// Threads that wait and were not called.
    private var idle = 0
    /// Threads that were called, and have not looked for work yet.
    private var called = 0
    /// Threads that were started, and have not looked for work yet.
    private var starting = 0

    /// Threads that look out for a job and need no call.
    private var lookouts = 0
    /// Changes with each job that is added.
    private let arrivals = Atomic(0)

    /// How long a thread without work stays.
    private static let patience: TimeInterval = 5
    /// How long a thread that delivered completions looks out for what they lead to: often, the next save.
    private static let lookout = Duration.microseconds(60)

    /// Adds a job to a lane, from any thread.
    func run(_ lane: Lane, _ job: @escaping Job) {
        condition.lock()
        lines[lane.rawValue].jobs.append(job)
        let help = help()
        condition.unlock()
        arrivals.add(1, ordering: .relaxed)
        bring(help)
    }

    /// Adds a job to a lane from another job, whose thread goes on with it as soon as that ends.
    func runNext(_ lane: Lane, _ job: @escaping Job) {
        assert(isOnItsThread, "No thread of the crew goes on with this job: use `run`.")
        condition.lock()
        lines[lane.rawValue].jobs.append(job)
        condition.unlock()
    }

    /// Does a job of a lane at once, within another job, if nothing waits there or is under way; nil otherwise.
    func runHere<T>(_ lane: Lane, _ job: () -> T) -> T? {
        condition.lock()
        let isFree = !lines[lane.rawValue].isRunning && lines[lane.rawValue].jobs.isEmpty
        if isFree { lines[lane.rawValue].isRunning = true }
        condition.unlock()
        guard isFree else { return nil }
        defer {
            condition.lock()
            lines[lane.rawValue].isRunning = false
            let help = help()
            condition.unlock()
            bring(help)
        }
        return job()
    }

    // MARK: - threads

    /// What a thread's dictionary has its crew under.
    private static let mark = "crew"

    private var isOnItsThread: Bool { Thread.current.threadDictionary[Self.mark] as? StoreCrew === self }

    private enum Help {
        case none, wake, start
    }

    /// Who is to come for the lanes that wait, beside the threads that are on their way.
    private func help() -> Help {
        guard lines.count(where: \.isWaiting) > called + starting + lookouts else { return .none }
        if idle > 0 {
            idle -= 1
            called += 1
            return .wake
        }
        // With as many threads as lanes, one that has just ended its job is about to look.
        guard threads < lines.count else { return .none }
        threads += 1
        starting += 1
        return .start
    }

    private func bring(_ help: Help) {
        switch help {
        case .none: break
        case .wake: condition.signal()
        case .start:
            let thread = Thread { self.work() }
            thread.name = "recorder-store"
            thread.threadDictionary[Self.mark] = self
            thread.start()
        }
    }

    private func work() {
        condition.lock()
        starting -= 1
        var last: Lane?
        while let lane = nextLane() {
            lines[lane.rawValue].isRunning = true
            var job = lines[lane.rawValue].jobs.popFirst()
            let help = help()
            condition.unlock()
            bring(help)
            job?()
            // Releases what the job holds, which may be the user's: not under the lock.
            job = nil
            condition.lock()
            lines[lane.rawValue].isRunning = false
            let hasCompletedSaves = lane == .deliver && last == .write
            if hasCompletedSaves, !lines.contains(where: \.isWaiting) { lookOut() }
            last = lane
        }
        threads -= 1
        condition.unlock()
    }

    /// Returns when a job was added, or after a while.
    private func lookOut() {
        let seen = arrivals.load(ordering: .relaxed)
        lookouts += 1
        condition.unlock()
        let end = ContinuousClock.now + Self.lookout
        while arrivals.load(ordering: .relaxed) == seen, ContinuousClock.now < end { sched_yield() }
        condition.lock()
        lookouts -= 1
    }

    /// The lane to work at; nil when there was nothing to do for long.
    private func nextLane() -> Lane? {
        var isInTime = true
        while true {
            if let lane = Lane.allCases.first(where: { lines[$0.rawValue].isWaiting }) { return lane }
            guard isInTime else { return nil }
            idle += 1
            isInTime = condition.wait(until: Date(timeIntervalSinceNow: Self.patience))
            if called > 0 { called -= 1 } else { idle -= 1 }
        }
    }
}
