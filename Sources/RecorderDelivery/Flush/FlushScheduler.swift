package import RecorderConcurrency
package import RecorderStore

/// Called with the result of a flush.
package typealias FlushCompletion = @Sendable (Result<FlushReport, RecorderError>) -> Void

/// One call's request for a flush, with which it can be withdrawn.
package final class FlushTicket: Sendable {
    fileprivate let completion: FlushCompletion

    fileprivate init(_ completion: @escaping FlushCompletion) {
        self.completion = completion
    }
}

/// What a run works on, and who gets the results.
package struct FlushRun: Sendable {
    /// Whether a flush waits for other processes that submit the same store.
    enum Start {
        case whenFree, ifFree
    }

    let start: Start
    let first: FlushRound
    /// Has an element whenever something was requested during the run.
    let requests: AsyncStream<Void>
    /// Begins a round for what was requested; nil if nothing was.
    let nextRound: @Sendable () -> FlushRound?
    /// Takes the result of a round that others outlast.
    let ended: @Sendable (RoundResult) -> Void
}

package struct RoundResult: Sendable {
    let round: FlushRound
    let result: Result<FlushReport, RecorderError>
}

/// Runs one flush of a store at a time, and passes each result to the calls that wait for it.
package final class FlushScheduler: Sendable {
    private struct State {
        var machine = FlushStateMachine<FlushTicket>()
        /// The run that requests began; nil for a run in the calling task.
        var run: Run?
        /// Finished when the current run ends.
        var ends: [AsyncStream<Void>.Continuation] = []

        mutating func endOfRun() -> AsyncStream<Void> {
            let (end, continuation) = AsyncStream.makeStream(of: Void.self)
            ends.append(continuation)
            return end
        }

        /// A run, which can be cancelled from now on, although it is started without the lock.
        mutating func begin(_ round: FlushRound) -> Run {
            let run = Run(round)
            self.run = run
            return run
        }
    }

    private struct Run {
        let first: FlushRound
        let task = CancellableRun()
        let requests: AsyncStream<Void>
        let requested: AsyncStream<Void>.Continuation

        init(_ first: FlushRound) {
            self.first = first
            (requests, requested) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        }
    }

    private let state = Locked(State())
    private let callbacks: CallbackQueue
    private let executor: StoreExecutor
    private let run: @Sendable (FlushRun) async -> [RoundResult]

    /// `run` flushes the store, on `executor` unless it runs in the calling task. It returns the results of the rounds with which
    /// it ended, which get them when another run may begin.
    package init(
        callbacks: CallbackQueue,
        executor: StoreExecutor,
        run: @escaping @Sendable (FlushRun) async -> [RoundResult]
    ) {
        self.callbacks = callbacks
        self.executor = executor
        self.run = run
    }

    // MARK: - requests with completions

    /// Starts a flush, or a round of the one that runs; `completion` gets its result.
    package func flush(_ scope: StreamScheduler.Scope, completion: @escaping FlushCompletion) -> FlushTicket {
        let ticket = FlushTicket(completion)
        let (begun, running) = state.withLock { state -> (Run?, Run?) in
            switch state.machine.flushRequested(by: ticket, for: scope) {
            case .start(let round): (state.begin(round), nil)
            case .wait: (nil, state.run)
            }
        }
        if let begun { start(begun) }
        running?.requested.yield()
        return ticket
    }

    /// A ticket for a flush that failed at once.
    package func refuse(_ error: RecorderError, completion: @escaping FlushCompletion) -> FlushTicket {
        completion(.failure(error))
        return FlushTicket(completion)
    }

    /// Calls a ticket's completion with `.cancelled`, unless it has been called. Cancels a run that no ticket waits for.
    package func withdraw(_ ticket: FlushTicket) {
        let (withdrawn, run) = state.withLock { state in
            let (withdrawn, isRunUnused) = state.machine.withdraw { $0 === ticket }
            return (withdrawn, isRunUnused ? state.run?.task : nil)
        }
        run?.cancel()
        guard !withdrawn.isEmpty else { return }
        callbacks.deliver { ticket.completion(.failure(.cancelled)) }
    }

    /// Cancels the current run, if `flush` started it; each completion gets the report of what was done.
    package func cancel() {
        state.withLock { $0.run?.task }?.cancel()
    }

    // MARK: - flushes in the calling task

    /// Flushes, unless a flush is running.
    package func flushIfFree() async throws(RecorderError) -> FlushReport {
        guard let round = state.withLock({ $0.machine.startIfIdle() }) else { return .busy }
        return try await runInTask(round, .ifFree)
    }

    /// Flushes when no other flush is running.
    package func drain() async throws(RecorderError) -> FlushReport {
        while true {
            let (round, end) = state.withLock { state -> (FlushRound?, AsyncStream<Void>?) in
                if let round = state.machine.startIfIdle() { return (round, nil) }
                return (nil, state.endOfRun())
            }
            if let round { return try await runInTask(round, .whenFree) }
            // Ends with the current run, or when this task is cancelled.
            if let end { for await _ in end {} }
            guard !Task.isCancelled else { throw .cancelled }
        }
    }

    private func runInTask(_ round: FlushRound, _ start: FlushRun.Start) async throws(RecorderError) -> FlushReport {
        let results: [RoundResult]
        do throws(ThreadShortage) {
            try executor.keepThread()
            let requests = AsyncStream<Void> { $0.finish() }
            results = await run(
                FlushRun(start: start, first: round, requests: requests, nextRound: { nil }, ended: { _ in })
            )
            executor.releaseThread()
        } catch {
            results = [RoundResult(round: round, result: .failure(.noThread(error)))]
        }
        endRun(results)
        guard let result = results.last?.result else { preconditionFailure("a run ended without its round") }
        return try result.get()
    }

    // MARK: - runs

    /// Starts a run. It keeps a thread: it can go on whatever the system gives to others meanwhile.
    private func start(_ begun: Run) {
        do throws(ThreadShortage) {
            try executor.keepThread()
        } catch {
            return endRun([RoundResult(round: begun.first, result: .failure(.noThread(error)))])
        }
        let run = FlushRun(
            start: .whenFree,
            first: begun.first,
            requests: begun.requests,
            nextRound: { self.state.withLock { $0.machine.nextRound() } },
            ended: { ended in
                let served = self.state.withLock { $0.machine.ended(ended.round) }
                self.deliver(ended.result, to: served)
            }
        )
        begun.task.start(on: executor) { [executor] in
            self.endRun(await self.run(run))
            executor.releaseThread()
        }
    }

    /// Passes the last results to the calls that wait for them, and starts the next run if calls wait for that.
    private func endRun(_ results: [RoundResult]) {
        let (served, again, ends) = state.withLock { state in
            let served = results.map { state.machine.ended($0.round) }
            state.run = nil
            defer { state.ends = [] }
            return (served, state.machine.flushEnded().map { state.begin($0) }, state.ends)
        }
        for end in ends { end.finish() }
        for (result, served) in zip(results, served) { deliver(result.result, to: served) }
        if let again { start(again) }
    }

    private func deliver(_ result: Result<FlushReport, RecorderError>, to waiters: [FlushTicket]) {
        callbacks.deliver(waiters.map { waiter in { @Sendable in waiter.completion(result) } })
    }
}
