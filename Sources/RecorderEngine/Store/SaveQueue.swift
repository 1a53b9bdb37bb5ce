import Dispatch
import RecorderConcurrency

/// The queue of saves: callers append in order and go on, the writer stores what waits, a group a commit.
///
/// It holds a bounded number of bytes. Beyond that a save waits for room, in its turn, until its deadline. Room comes with
/// each commit, whatever completions do.
final class SaveQueue: Sendable {
    /// What one turn of the writer does.
    private enum Turn: Sendable {
        case saves([PendingSave])
        /// Something that must come after the saves before it and ahead of those after it.
        case step(@Sendable () -> Void)
    }

    /// A save for which there is no room yet.
    private final class Waiter: Sendable {
        let save: PendingSave
        let isAdmitted = DispatchSemaphore(value: 0)

        init(_ save: PendingSave) {
            self.save = save
        }
    }

    private struct State {
        var turns = FIFO<Turn>()
        /// The group that is still open to further saves, behind all turns.
        var group: [PendingSave] = []
        var groupBytes = 0
        /// What the saves take that are not answered yet, those of the commit under way included.
        var queuedBytes = 0
        /// Saves without room, in order.
        var waiters: [Waiter] = []
        var isDraining = false

        var isEmpty: Bool { turns.isEmpty && group.isEmpty }

        /// False if there is no room.
        mutating func admit(_ save: PendingSave) -> Bool {
            let bytes = save.record.storedBytes
            guard queuedBytes == 0 || queuedBytes + bytes <= save.queueLimit else { return false }
            queuedBytes += bytes
            if group.count == maximumGroup || groupBytes + bytes > maximumGroupBytes { closeGroup() }
            group.append(save)
            groupBytes += bytes
            return true
        }

        /// Admits as many of those that wait as there is room for.
        mutating func admitWaiters() -> [Waiter] {
            let count = waiters.prefix { admit($0.save) }.count
            defer { waiters.removeFirst(count) }
            return Array(waiters.prefix(count))
        }

        mutating func closeGroup() {
            if !group.isEmpty { turns.append(.saves(group)) }
            group = []
            groupBytes = 0
        }

        mutating func next() -> Turn? {
            if turns.isEmpty { closeGroup() }
            return turns.popFirst()
        }
    }

    /// One commit takes at most so much, so that memory, the log and the wait for the first completion stay bounded. A
    /// mebibyte takes two in the log, where each record needs a page, and with what the log has before it must stay
    /// within the 6 MiB that are promised besides the limit.
    private static let maximumGroup = 1_024
    private static let maximumGroupBytes = 1_024 * 1_024

    private let state = Locked(State())
    private let store: RecordStore
    private let delivery: CallbackQueue
    private let enforcer: LimitEnforcer
    private let report: @Sendable (RecorderEvent) -> Void

    init(_ store: RecordStore, _ delivery: CallbackQueue, report: @escaping @Sendable (RecorderEvent) -> Void) {
        self.store = store
        self.delivery = delivery
        self.report = report
        enforcer = LimitEnforcer(store) { discards in
            delivery.deliverNext { for discard in discards { report(.discarded(discard)) } }
        }
    }

    // MARK: - append

    /// Takes a place in the queue; never touches the disk. Where there is no room it blocks until there is, at most until
    /// the save's deadline.
    func append(_ save: PendingSave) {
        guard let waiter = admit(save) else { return }
        let left = max(save.deadline - .now, .zero)
        guard waiter.isAdmitted.wait(timeout: .now() + .nanoseconds(Int(left / .nanoseconds(1)))) == .timedOut else {
            return
        }
        refuse(waiter)
    }

    /// The same without blocking: where there is no room the completion comes later.
    func appendLater(_ save: PendingSave) {
        guard let waiter = admit(save) else { return }
        let left = max(save.deadline - .now, .zero)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(left / .nanoseconds(1)))) { [weak self] in
            self?.refuse(waiter)
        }
    }

    /// Runs `step` in the writer's lane when everything before it in the queue is stored.
    func afterEarlierSaves(_ step: @escaping @Sendable () -> Void) {
        add { state in
            state.closeGroup()
            state.turns.append(.step(step))
        }
    }

    /// Calls `done` when nothing is being discarded for the limits any more.
    func whenLimitsEnforced(_ done: @escaping @Sendable () -> Void) {
        // Behind the reports of what was discarded.
        enforcer.whenDone { [delivery] in delivery.deliver(done) }
    }

    /// nil once the save is in the queue, else what it waits as.
    private func admit(_ save: PendingSave) -> Waiter? {
        add { state in
            if state.waiters.isEmpty, state.admit(save) { return nil }
            let waiter = Waiter(save)
            state.waiters.append(waiter)
            return waiter
        }
    }

    private func add<T: Sendable>(_ add: (inout State) -> T) -> T {
        let (starts, result) = state.withLock { state in
            let result = add(&state)
            defer { state.isDraining = true }
            return (!state.isDraining, result)
        }
        if starts { store.crew.run(.write) { self.drain() } }
        return result
    }

    /// Answers a save that found no room in time, unless it has just been admitted.
    private func refuse(_ waiter: Waiter) {
        let failure = state.withLock { state -> RecorderError? in
            guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return nil }
            state.waiters.remove(at: index)
            let failure = RecorderError.storage(
                "The disk is too slow or locked: \(state.queuedBytes) bytes of earlier saves wait for it, and the limit "
                    + "is \(waiter.save.queueLimit). The record was not saved; save it again later.",
                nil
            )
            // Before a later one of its sequence is admitted.
            waiter.save.sequence?.fail(failure)
            return failure
        }
        if let failure { waiter.save.completion(.failure(failure)) }
    }

    // MARK: - store

    /// Takes one turn. Between two of them other work of the writer (settles) gets its own.
    private func drain() {
        switch state.withLock({ $0.next() }) {
        case .saves(let group)?: save(group)
        case .step(let step)?: step()
        case nil: break
        }
        let isDone = state.withLock { state in
            state.isDraining = !state.isEmpty
            return state.isEmpty
        }
        if !isDone { store.crew.runNext(.write) { self.drain() } }
    }

    /// Stores a group. Where others hold the lock, each save waits for its own time.
    private func save(_ group: [PendingSave]) {
        var rest = withoutStopped(group)
        while let first = rest.first {
            do throws(RecorderError) {
                let receipt = try store.append(rest, before: first.deadline)
                complete(rest, receipt)
                if receipt.discarded.isCutShort, let limits = rest.last?.limits { enforcer.start(limits) }
                return
            } catch {
                let now = ContinuousClock.now
                let late = Array(rest.prefix { $0.deadline <= now })
                let failed = late.isEmpty ? rest : late
                for save in failed { save.sequence?.fail(error) }
                complete(failed, error)
                rest = withoutStopped(Array(rest.dropFirst(failed.count)))
            }
        }
    }

    /// Answers the saves whose sequence has failed before; returns the others.
    private func withoutStopped(_ saves: [PendingSave]) -> [PendingSave] {
        guard saves.contains(where: { $0.sequence?.failure != nil }) else { return saves }
        return saves.filter { save in
            guard let failure = save.sequence?.failure else { return true }
            complete([save], failure)
            return false
        }
    }

    /// Reports and completes in order. Each call is a callback of its own, so that none waits for one that blocks.
    private func complete(_ saves: [PendingSave], _ receipt: AppendReceipt) {
        release(saves)
        // The records are no longer needed, however long the completions take.
        let completions = saves.map { $0.completion }
        let discards = receipt.discarded.discards
        guard !discards.isEmpty || receipt.answers.contains(where: \.hasReport) else {
            return delivery.deliverNext(
                CallbackRun(count: saves.count) { completions[$0](receipt.answers[$0].result) }
            )
        }
        var callbacks = discards.map { [report] discard in { @Sendable in report(.discarded(discard)) } }
        for (completion, answer) in zip(completions, receipt.answers) {
            if case .stored(let usage?) = answer {
                callbacks.append { [report] in report(.byteThresholdReached(usage: usage)) }
            }
            callbacks.append { completion(answer.result) }
        }
        delivery.deliverNext(CallbackRun(callbacks))
    }

    private func complete(_ saves: [PendingSave], _ error: RecorderError) {
        release(saves)
        let completions = saves.map { $0.completion }
        // The thread may go on with the group's other saves, and wait for the lock for as long as they do.
        delivery.deliver(CallbackRun(count: saves.count) { completions[$0](.failure(error)) })
    }

    /// Makes room for those that wait for it.
    private func release(_ saves: [PendingSave]) {
        var bytes = 0
        for save in saves { bytes += save.record.storedBytes }
        let admitted = state.withLock { [bytes] state -> [Waiter]? in
            state.queuedBytes -= bytes
            return state.waiters.isEmpty ? nil : state.admitWaiters()
        }
        for waiter in admitted ?? [] { waiter.isAdmitted.signal() }
    }
}

extension AppendReceipt.Answer {
    fileprivate var hasReport: Bool {
        if case .stored(_?) = self { true } else { false }
    }

    fileprivate var result: Result<Void, RecorderError> {
        switch self {
        case .stored: .success(())
        case .refused(let error): .failure(error)
        }
    }
}
