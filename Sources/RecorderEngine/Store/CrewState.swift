import Dispatch

/// What waits in the lanes of a `StoreCrew`, and who is there to do it. Each change is under the crew's lock.
struct CrewState {
    typealias Lane = StoreCrew.Lane
    typealias Job = StoreCrew.Job

    /// A thread that rests, by what calls it.
    typealias Rester = DispatchSemaphore

    /// A job to be done now.
    struct Work: Sendable {
        let lane: Lane
        let job: Job
        /// Who is to come for what waits beside it.
        let help: Help
    }

    enum Help: Sendable {
        case none, start
        case call(Rester)
    }

    private struct Line {
        var jobs = FIFO<Job>()
        var isRunning = false
        var isWaiting: Bool { !isRunning && !jobs.isEmpty }
    }

    private var lines = Lane.allCases.map { _ in Line() }
    private var threads = 0
    /// Threads that rest and were not called; the last is the one that worked last.
    private var resting: [Rester] = []
    /// Threads that were called, and have not looked for work yet.
    private var called = 0
    /// Threads that were started, and have not looked for work yet.
    private var starting = 0
    /// Threads that look out for a job and need no call.
    private var lookouts = 0

    mutating func add(_ job: @escaping Job, to lane: Lane) {
        lines[lane.rawValue].jobs.append(job)
    }

    /// Takes a lane for a job that is in none, if nothing waits there or is under way.
    mutating func take(_ lane: Lane) -> Bool {
        guard !lines[lane.rawValue].isRunning, lines[lane.rawValue].jobs.isEmpty else { return false }
        lines[lane.rawValue].isRunning = true
        return true
    }

    mutating func giveBack(_ lane: Lane) {
        lines[lane.rawValue].isRunning = false
    }

    /// Who is to come for the lanes that wait, beside the threads that are on their way.
    mutating func help() -> Help {
        guard lines.count(where: \.isWaiting) > called + starting + lookouts else { return .none }
        if let thread = resting.popLast() {
            called += 1
            return .call(thread)
        }
        // With as many threads as lanes, one that has just ended its job is about to look.
        guard threads < lines.count else { return .none }
        threads += 1
        starting += 1
        return .start
    }

    // MARK: - a thread's ways to its next job

    mutating func begin() -> Work? {
        starting -= 1
        return next()
    }

    /// After a job of `lane`. Where there is no other, the thread is noted as one that looks out, if it does.
    mutating func next(after lane: Lane, looksOut: Bool) -> Work? {
        giveBack(lane)
        let work = next()
        if work == nil, looksOut { lookouts += 1 }
        return work
    }

    mutating func endLookout() -> Work? {
        lookouts -= 1
        return next()
    }

    /// Notes a thread that finds no work as one that rests.
    mutating func nextOrRest(_ thread: Rester, wasCalled: Bool) -> Work? {
        if wasCalled { called -= 1 }
        if let work = next() { return work }
        resting.append(thread)
        return nil
    }

    /// Ends a thread that still rests; false if it was called meanwhile, and must come.
    mutating func leave(_ thread: Rester) -> Bool {
        guard let place = resting.firstIndex(where: { $0 === thread }) else { return false }
        resting.remove(at: place)
        threads -= 1
        return true
    }

    private mutating func next() -> Work? {
        guard let lane = Lane.allCases.first(where: { lines[$0.rawValue].isWaiting }),
            let job = lines[lane.rawValue].jobs.popFirst()
        else { return nil }
        lines[lane.rawValue].isRunning = true
        return Work(lane: lane, job: job, help: help())
    }
}
