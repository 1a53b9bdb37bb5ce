import RecorderConcurrency

/// Called with the result of a flush.
package typealias FlushCompletion = @Sendable (Result<FlushReport, RecorderError>) -> Void

/// One call's request for a flush, with which it can be withdrawn.
package final class FlushTicket: Sendable {
    fileprivate let completion: FlushCompletion

    fileprivate init(_ completion: @escaping FlushCompletion) {
        self.completion = completion
    }
}

/// Runs one flush of a store at a time, and passes each result to the calls that wait for it.
final class FlushScheduler: Sendable {
    /// Whether a flush waits for other processes that submit the same store.
    enum Start {
        case whenFree, ifFree
    }

    private struct State {
        var machine = FlushStateMachine<FlushTicket>()
        /// The run that `flush` started; nil for a run in the calling task.
        var run: CancellableRun?
        /// Finished when the current run ends.
        var ends: [AsyncStream<Void>.Continuation] = []

        mutating func endOfRun() -> AsyncStream<Void> {
            let (end, continuation) = AsyncStream.makeStream(of: Void.self)
            ends.append(continuation)
            return end
        }

        mutating func newRun() -> CancellableRun? {
            run = CancellableRun()
            return run
        }
    }

    private let state = Locked(State())
    private let callbacks: CallbackQueue
    private let executor: StoreExecutor
    private let run: @Sendable (Start) async -> Result<FlushReport, RecorderError>

    /// `run` flushes the store, on `executor` unless it runs in the calling task.
    init(
        callbacks: CallbackQueue,
        executor: StoreExecutor,
        run: @escaping @Sendable (Start) async -> Result<FlushReport, RecorderError>
    ) {
        self.callbacks = callbacks
        self.executor = executor
        self.run = run
    }

    // MARK: - requests with completions

    /// Starts a flush, or waits for the next one; `completion` gets its result.
    func flush(completion: @escaping FlushCompletion) -> FlushTicket {
        let ticket = FlushTicket(completion)
        let run = state.withLock { state -> CancellableRun? in
            if case .start = state.machine.flushRequested(by: ticket) { state.newRun() } else { nil }
        }
        if let run { start(run) }
        return ticket
    }

    /// A ticket for a flush that failed at once.
    func refuse(_ error: RecorderError, completion: @escaping FlushCompletion) -> FlushTicket {
        completion(.failure(error))
        return FlushTicket(completion)
    }

    /// Calls a ticket's completion with `.cancelled`, unless it has been called. Cancels a run that no ticket waits for.
    func withdraw(_ ticket: FlushTicket) {
        let (withdrawn, run) = state.withLock { state in
            let (withdrawn, isRunUnused) = state.machine.withdraw { $0 === ticket }
            return (withdrawn, isRunUnused ? state.run : nil)
        }
        run?.cancel()
        guard !withdrawn.isEmpty else { return }
        callbacks.deliver { ticket.completion(.failure(.cancelled)) }
    }

    /// Cancels the current run, if `flush` started it; each completion gets the report of what was done.
    func cancel() {
        state.withLock { $0.run }?.cancel()
    }

    // MARK: - flushes in the calling task

    /// Flushes, unless a flush is running.
    func flushIfFree() async throws(RecorderError) -> FlushReport {
        guard state.withLock({ $0.machine.startIfIdle() }) else { return .busy }
        return try await runInTask(.ifFree)
    }

    /// Flushes when no other flush is running.
    func drain() async throws(RecorderError) -> FlushReport {
        while let end = state.withLock({ $0.machine.startIfIdle() ? nil : $0.endOfRun() }) {
            // Ends with the current run, or when this task is cancelled.
            for await _ in end {}
            guard !Task.isCancelled else { throw .cancelled }
        }
        return try await runInTask(.whenFree)
    }

    // MARK: - runs

    /// A run keeps a thread: it can go on whatever the system gives to others meanwhile.
    private func start(_ run: CancellableRun) {
        do throws(ThreadShortage) {
            try executor.keepThread()
        } catch {
            return end(.failure(.noThread(error)))
        }
        run.start(on: executor) { [executor] in
            self.end(await self.run(.whenFree))
            executor.releaseThread()
        }
    }

    private func runInTask(_ start: Start) async throws(RecorderError) -> FlushReport {
        let result: Result<FlushReport, RecorderError>
        do throws(ThreadShortage) {
            try executor.keepThread()
            result = await run(start)
            executor.releaseThread()
        } catch {
            result = .failure(.noThread(error))
        }
        end(result)
        return try result.get()
    }

    /// Passes a run's result to the calls that wait for it, and starts the next run if other calls wait for that.
    private func end(_ result: Result<FlushReport, RecorderError>) {
        let (ended, next, ends) = state.withLock { state in
            state.run = nil
            let ended = state.machine.flushEnded()
            defer { state.ends = [] }
            return (ended, ended.startsAgain ? state.newRun() : nil, state.ends)
        }
        for end in ends { end.finish() }
        callbacks.deliver(ended.served.map { waiter in { @Sendable in waiter.completion(result) } })
        if let next { start(next) }
    }
}
