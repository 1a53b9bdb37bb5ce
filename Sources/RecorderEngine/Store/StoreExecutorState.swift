import Dispatch

/// What waits in the lanes of a `StoreExecutor`, and who is there to do it. Each change is under the crew's lock.
struct StoreExecutorState {
    typealias Lane = StoreExecutor.Lane

    /// A thread that rests, by what calls it.
    typealias Rester = DispatchSemaphore

    enum Job: Sendable {
        case block(@Sendable () -> Void)
        /// Always in the lane `deliver`.
        case callbacks(CallbackRun)
    }

    /// A job to be done now.
    struct Work: Sendable {
        let lane: Lane
        let job: Job
        /// Counts the jobs of the crew.
        let number: Int
        /// The turn of a run of callbacks.
        let turn: UInt64
        /// Who is to come for what waits beside it.
        let help: Help
    }

    struct Help: Sendable {
        enum Thread: Sendable {
            case none, start
            case call(Rester)
        }

        var thread = Thread.none
        /// Whether the watchdog is to look after what waits.
        var isToWatch = false
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
    /// Jobs that have begun.
    private var begun = 0
    /// The callbacks under way, unless their thread got stuck, and the number of their job.
    private var callbacks: (run: CallbackRun, number: Int, begunBefore: Int)?
    /// Threads in a callback that blocked while others waited; the lane is no longer theirs.
    private var stuck = 0
    private var watch: Watch?

    mutating func add(_ job: Job, to lane: Lane) {
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
        var help = Help()
        if lacksThread {
            if let thread = resting.popLast() {
                called += 1
                help.thread = .call(thread)
            } else if threads < stuck + StoreExecutor.threadLimit {
                help.thread = startThread()
            }
        }
        help.isToWatch = startsWatch()
        return help
    }

    private var lacksThread: Bool {
        lines.count(where: \.isWaiting) > called + starting + lookouts
    }

    private mutating func startThread() -> Help.Thread {
        threads += 1
        starting += 1
        return .start
    }

    // MARK: - a thread's ways to its next job

    mutating func begin() -> Work? {
        starting -= 1
        return next()
    }

    /// After a job. Where there is no other, the thread is noted as one that looks out, if it does.
    mutating func next(after work: (lane: Lane, number: Int), looksOut: Bool) -> Work? {
        end(work.lane, work.number)
        let work = next()
        if work == nil, looksOut { lookouts += 1 }
        return work
    }

    private mutating func end(_ lane: Lane, _ number: Int) {
        if lane == .deliver {
            guard callbacks?.number == number else {
                stuck -= 1
                return
            }
            callbacks = nil
        }
        giveBack(lane)
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

    /// Ends a thread that still rests; nil if it was called meanwhile, and must come.
    ///
    /// - Returns: whether no thread is left that has anything to do.
    mutating func leave(_ thread: Rester) -> Bool? {
        guard let place = resting.firstIndex(where: { $0 === thread }) else { return nil }
        resting.remove(at: place)
        threads -= 1
        return threads == stuck
    }

    private mutating func next() -> Work? {
        guard let lane = Lane.allCases.first(where: { lines[$0.rawValue].isWaiting }),
            let job = lines[lane.rawValue].jobs.popFirst()
        else { return nil }
        lines[lane.rawValue].isRunning = true
        begun += 1
        var turn: UInt64 = 0
        if case .callbacks(let run) = job {
            callbacks = (run, begun, run.begun)
            turn = run.turn
        }
        return Work(lane: lane, job: job, number: begun, turn: turn, help: help())
    }
}

// MARK: - what waits

extension StoreExecutorState {
    /// How far work had come when the watchdog looked last.
    private struct Watch {
        /// Jobs that had begun.
        let begun: Int
        /// The job of the callbacks under way, and how many of them had begun.
        let number: Int?
        let callbacksBegun: Int?
        /// How many looks are to follow soon: where one callback waited for another, that one often does, too.
        var quickLooks = 0
    }

    /// What a look at the waiting work led to.
    struct Look: Sendable {
        var help = Help.Thread.none
        var next: NextLook?
        /// Whether callbacks wait, and no more threads may be started for them.
        var isAtLimit = false
    }

    enum NextLook: Sendable {
        case usual, soon
    }

    /// Whether callbacks wait behind the one that runs.
    private var hasWaitingCallbacks: Bool {
        guard let callbacks else { return false }
        return callbacks.run.hasMore || !lines[Lane.deliver.rawValue].jobs.isEmpty
    }

    /// Whether a lane waits because the store may have few threads, as there are many stores.
    private var isShortOfThreads: Bool { threads < stuck + lines.count && lacksThread }

    private func currentWatch(quickLooks: Int = 0) -> Watch {
        Watch(begun: begun, number: callbacks?.number, callbacksBegun: callbacks?.run.begun, quickLooks: quickLooks)
    }

    /// Begins to watch if something waits; false if there is nothing, or it is watched already.
    mutating func startsWatch() -> Bool {
        guard watch == nil, hasWaitingCallbacks || isShortOfThreads else { return false }
        watch = currentWatch()
        return true
    }

    /// Gets threads for what has waited since the last look.
    mutating func look() -> Look {
        var look = Look()
        guard var last = watch else { return look }
        if last.quickLooks > 0 { last.quickLooks -= 1 }
        if isCallbackBlocked(since: last) {
            if stuck < StoreExecutor.maximumStuckThreads {
                takeOverCallbacks()
                last.quickLooks = StoreExecutor.quickLooks
                look.help = help().thread
            } else {
                look.isAtLimit = true
            }
        } else if isShortOfThreads, last.begun == begun {
            look.help = startThread()
        }
        watch = nil
        // A thread may be on its way to callbacks that wait behind none.
        if hasWaitingCallbacks || lines[Lane.deliver.rawValue].isWaiting || isShortOfThreads {
            watch = currentWatch(quickLooks: last.quickLooks)
            look.next = last.quickLooks > 0 ? .soon : .usual
        }
        return look
    }

    /// Whether the callback that ran at the last look still does while others wait.
    private func isCallbackBlocked(since last: Watch) -> Bool {
        guard hasWaitingCallbacks, let callbacks, callbacks.number == last.number else { return false }
        // A thread that has not got to its first callback is not blocked by one.
        let begun = callbacks.run.begun
        return begun == last.callbacksBegun && begun > callbacks.begunBefore
    }

    /// Leaves the callback that runs to its thread, and the others to the next one.
    private mutating func takeOverCallbacks() {
        guard let run = callbacks?.run else { return }
        run.endTurn()
        callbacks = nil
        stuck += 1
        if run.hasMore { lines[Lane.deliver.rawValue].jobs.prepend(.callbacks(run)) }
        giveBack(.deliver)
    }
}
