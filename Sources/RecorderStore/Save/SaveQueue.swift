package import RecorderConcurrency

/// The queue of saves: callers append in order and continue, the writer stores what is queued, one group per commit.
///
/// It holds a bounded number of bytes. Beyond that a save waits, in order, until there is room or its deadline passes. Each
/// commit makes room, whatever completions do.
package final class SaveQueue: Sendable {
    /// What the writer does in one step.
    private enum WorkItem: Sendable {
        case saves([PendingSave])
        /// Work between the saves before it and those after it. It gets the error if there is no thread for it.
        case step(@Sendable (RecorderError?) -> Void)
    }

    /// What is left of a save once it has a result: its completion may take long, and its records are no longer needed.
    ///
    /// A struct, because an array of functions keeps each in an object of its own.
    private struct Completion: Sendable {
        let call: SaveCompletion

        init(_ save: PendingSave) {
            call = save.completion
        }
    }

    /// A save for which there is no room yet.
    private final class Waiter: Sendable {
        let save: PendingSave
        let isAdmitted = Latch()

        init(_ save: PendingSave) {
            self.save = save
        }
    }

    private struct State {
        var items = FIFO<WorkItem>()
        /// The group that still accepts saves, behind all items.
        var group: [PendingSave] = []
        var groupRecords = 0
        var groupBytes = 0
        /// The bytes of all saves without a result, including those of the current commit.
        var queuedBytes = 0
        /// Saves without room, in order.
        var waiters: [Waiter] = []
        var isRunning = false
        /// How many callers queue saves that are to be stored together.
        var holds = 0

        /// Whether the caller must have the queue run.
        mutating func begin() -> Bool {
            guard holds == 0, !isRunning, !isEmpty else { return false }
            isRunning = true
            return true
        }

        var isEmpty: Bool { items.isEmpty && group.isEmpty }

        /// Adds a save to the group; false if there is no room.
        mutating func admit(_ save: PendingSave) -> Bool {
            let (records, bytes) = (save.count, save.storedBytes)
            guard queuedBytes == 0 || queuedBytes + bytes <= save.queueLimit else { return false }
            queuedBytes += bytes
            if groupRecords + records > maximumGroup || groupBytes + bytes > maximumGroupBytes { closeGroup() }
            group.append(save)
            groupRecords += records
            groupBytes += bytes
            return true
        }

        /// Admits the waiting saves for which there is room.
        mutating func admitWaiters() -> [Waiter] {
            let count = waiters.prefix { admit($0.save) }.count
            defer { waiters.removeFirst(count) }
            return Array(waiters.prefix(count))
        }

        mutating func closeGroup() {
            if !group.isEmpty { items.append(.saves(group)) }
            group = []
            groupRecords = 0
            groupBytes = 0
        }

        mutating func next() -> WorkItem? {
            guard holds == 0 else { return nil }
            if items.isEmpty { closeGroup() }
            return items.popFirst()
        }
    }

    /// The size of one commit is limited, so that memory, the log and the wait for the first completion are bounded. A mebibyte
    /// takes up to two in the log, if each record needs a page, and must fit, with the log's earlier content, into the 7 MiB
    /// that are documented as overhead.
    private static let maximumGroup = 4_096
    private static let maximumGroupBytes = 1_024 * 1_024

    private let state = Locked(State())
    private let store: RecordStore
    private let callbacks: CallbackQueue
    private let enforcer: LimitEnforcer
    private let emit: @Sendable (RecorderEvent) -> Void

    /// `emit` is called on the callback queue.
    package init(
        _ store: RecordStore,
        callbacks: CallbackQueue,
        keeping: @escaping @Sendable () -> (any AnyObject & Sendable)?,
        emit: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        self.store = store
        self.callbacks = callbacks
        self.emit = emit
        enforcer = LimitEnforcer(store, keeping: keeping) { discards in
            callbacks.deliverNext { for discard in discards { emit(.discarded(discard)) } }
        }
    }

    // MARK: - append

    /// Queues a save; never touches the disk. If there is no room, blocks until there is, or until the save's deadline.
    package func append(_ save: PendingSave) {
        guard let waiter = admit(save) else { return }
        if !waiter.isAdmitted.wait(until: save.deadline) { refuse(waiter) }
    }

    /// Queues a save without blocking: if there is no room, its completion is called later.
    package func appendLater(_ save: PendingSave) {
        guard let waiter = admit(save) else { return }
        SystemTime.after(max(save.deadline - SystemTime.now, .zero)) { [weak self] in self?.refuse(waiter) }
    }

    /// Stores the saves that `body` queues in as few commits as possible: no commit begins before `body` returns. So it must
    /// not wait for saves, nor for room for them.
    package func together(_ body: () -> Void) {
        state.withLock { $0.holds += 1 }
        body()
        let starts = state.withLock { state in
            state.holds -= 1
            return state.begin()
        }
        if starts { enqueueRun() }
    }

    /// Runs `step` on the write queue when all earlier saves are stored. It gets the error, on another thread, if that is not
    /// possible.
    package func afterEarlierSaves(_ step: @escaping @Sendable (RecorderError?) -> Void) {
        change { state in
            state.closeGroup()
            state.items.append(.step(step))
        }
    }

    /// Returns when all earlier saves are stored.
    package func earlierSaves() async {
        await withCheckedContinuation { continuation in afterEarlierSaves { _ in continuation.resume() } }
    }

    /// Calls `done` when no more records are being discarded because of limits, after the reports of those that were.
    package func whenLimitsEnforced(_ done: @escaping @Sendable () -> Void) {
        enforcer.whenDone { [callbacks] in callbacks.deliver(done) }
    }

    /// Returns nil if the save is in the queue, and otherwise its waiter.
    private func admit(_ save: PendingSave) -> Waiter? {
        change { state in
            if state.waiters.isEmpty, state.admit(save) { return nil }
            let waiter = Waiter(save)
            state.waiters.append(waiter)
            return waiter
        }
    }

    private func change<T: Sendable>(_ body: (inout State) -> T) -> T {
        let (starts, result) = state.withLock { state in
            let result = body(&state)
            return (state.begin(), result)
        }
        if starts { enqueueRun() }
        return result
    }

    private func enqueueRun() {
        do throws(ThreadShortage) {
            try store.executor.tryEnqueue(on: .write) { self.runNext() }
        } catch {
            refuseAll(.noThread(error))
        }
    }

    /// Fails everything in the queue, in order.
    private func refuseAll(_ error: RecorderError) {
        let (items, waiters) = state.withLock { state in
            state.closeGroup()
            var items: [WorkItem] = []
            while let item = state.items.popFirst() { items.append(item) }
            state.isRunning = false
            defer { state.waiters = [] }
            return (items, state.waiters)
        }
        for item in items {
            switch item {
            case .saves(let group): fail(group, error)
            case .step(let step): step(error)
            }
        }
        for waiter in waiters {
            waiter.save.sequence?.fail(error)
            waiter.save.completion(.failure(error))
            waiter.isAdmitted.open()
        }
    }

    /// Fails a save that found no room in time, unless it has just been admitted.
    private func refuse(_ waiter: Waiter) {
        let failure = state.withLock { state -> RecorderError? in
            guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return nil }
            state.waiters.remove(at: index)
            let failure = RecorderError.storage(
                "The disk is too slow or locked: \(state.queuedBytes) bytes of earlier saves wait for it, and the limit "
                    + "is \(waiter.save.queueLimit). The record was not saved; save it again later.",
                nil
            )
            // Before a later save of its sequence is admitted.
            waiter.save.sequence?.fail(failure)
            return failure
        }
        if let failure { waiter.save.completion(.failure(failure)) }
    }

    // MARK: - store

    /// Does one work item. Other work of the write queue (settles) runs between two of them.
    private func runNext() {
        switch state.withLock({ $0.next() }) {
        case .saves(let group)?: store(group)
        case .step(let step)?: step(nil)
        case nil: break
        }
        let isDone = state.withLock { state in
            state.isRunning = state.holds == 0 && !state.isEmpty
            return !state.isRunning
        }
        if !isDone { store.executor.enqueueNext(on: .write) { self.runNext() } }
    }

    /// Stores a group. If another process holds the lock, each save waits until its own deadline.
    private func store(_ group: [PendingSave]) {
        var remaining = failingStopped(group)
        while let first = remaining.first {
            do throws(RecorderError) {
                let receipt = try store.append(remaining, before: first.deadline)
                complete(remaining, receipt: receipt)
                if receipt.discarded.isIncomplete, let limits = remaining.last?.limits { enforcer.start(limits) }
                return
            } catch {
                let now = SystemTime.now
                let late = Array(remaining.prefix { $0.deadline <= now })
                let failed = late.isEmpty ? remaining : late
                fail(failed, error)
                remaining = failingStopped(Array(remaining.dropFirst(failed.count)))
            }
        }
    }

    private func fail(_ saves: [PendingSave], _ error: RecorderError) {
        for save in saves { save.sequence?.fail(error) }
        complete(saves, error: error)
    }

    /// Fails the saves whose sequence has failed before; returns the others.
    private func failingStopped(_ saves: [PendingSave]) -> [PendingSave] {
        guard saves.contains(where: { $0.sequence?.failure != nil }) else { return saves }
        return saves.filter { save in
            guard let failure = save.sequence?.failure else { return true }
            complete([save], error: failure)
            return false
        }
    }

    // MARK: - complete

    /// Reports and completes in order. Each call is a callback of its own, so that none waits for one that blocks.
    private func complete(_ saves: [PendingSave], receipt: AppendReceipt) {
        release(saves)
        let completions = saves.map(Completion.init)
        let discards = receipt.discarded.discards
        let results = receipt.results
        guard !discards.isEmpty || results.values.contains(where: \.hasReport) else {
            return callbacks.deliverNext(
                CallbackRun(count: saves.count) { completions[$0].call(results[$0]?.result ?? .success(())) }
            )
        }
        var calls = discards.map { [emit] discard in { @Sendable in emit(.discarded(discard)) } }
        for (index, completion) in completions.enumerated() {
            let result = results[index]
            if case .stored(let usage)? = result {
                calls.append { [emit] in emit(.byteThresholdReached(usage: usage)) }
            }
            calls.append { completion.call(result?.result ?? .success(())) }
        }
        callbacks.deliverNext(CallbackRun(calls))
    }

    private func complete(_ saves: [PendingSave], error: RecorderError) {
        release(saves)
        let completions = saves.map(Completion.init)
        // Not `deliverNext`: this thread may continue with the group's other saves, and wait for the lock.
        callbacks.deliver(CallbackRun(count: saves.count) { completions[$0].call(.failure(error)) })
    }

    /// Makes room for waiting saves.
    private func release(_ saves: [PendingSave]) {
        var bytes = 0
        for save in saves { bytes += save.storedBytes }
        // While a queue is refused, nothing else has it run.
        let admitted = change { [bytes] state -> [Waiter]? in
            state.queuedBytes -= bytes
            return state.waiters.isEmpty ? nil : state.admitWaiters()
        }
        for waiter in admitted ?? [] { waiter.isAdmitted.open() }
    }
}

extension AppendReceipt.SaveResult {
    fileprivate var hasReport: Bool {
        if case .stored = self { true } else { false }
    }

    fileprivate var result: Result<Void, RecorderError> {
        switch self {
        case .stored: .success(())
        case .refused(let error): .failure(error)
        }
    }
}
