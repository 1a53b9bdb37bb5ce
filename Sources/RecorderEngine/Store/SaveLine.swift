import RecorderConcurrency

/// The line: callers append in order and go on, the writer stores what waits, a group a commit.
final class SaveLine: Sendable {
    /// What one turn of the writer does.
    private enum Turn: Sendable {
        case saves([PendingSave])
        /// Something that must come after the saves before it and ahead of those after it.
        case step(@Sendable () -> Void)
    }

    private struct State {
        var turns = FIFO<Turn>()
        /// The group that is still open to further saves, behind all turns.
        var group: [PendingSave] = []
        var groupBytes = 0
        var isDraining = false

        var isEmpty: Bool { turns.isEmpty && group.isEmpty }

        mutating func append(_ save: PendingSave) {
            let bytes = save.record.storedBytes
            if group.count == maximumGroup || groupBytes + bytes > maximumGroupBytes { closeGroup() }
            group.append(save)
            groupBytes += bytes
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
    private let delivery: DeliveryQueue
    private let report: @Sendable (RecorderEvent) -> Void

    init(_ store: RecordStore, _ delivery: DeliveryQueue, report: @escaping @Sendable (RecorderEvent) -> Void) {
        self.store = store
        self.delivery = delivery
        self.report = report
    }

    /// Takes a place in the line; returns at once, and never touches the disk.
    func append(_ save: PendingSave) {
        append { $0.append(save) }
    }

    /// Runs `step` in the writer's lane when everything before it in the line is stored.
    func afterEarlierSaves(_ step: @escaping @Sendable () -> Void) {
        append { state in
            state.closeGroup()
            state.turns.append(.step(step))
        }
    }

    private func append(_ add: (inout State) -> Void) {
        let starts = state.withLock { state in
            add(&state)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if starts { store.crew.run(.write) { self.drain() } }
    }

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

    private func save(_ group: [PendingSave]) {
        let result = Result { () throws(RecorderError) in try store.append(group) }
        delivery.deliverNext { [report] in
            switch result {
            case .success(let receipt):
                for discard in receipt.discards { report(.discarded(discard)) }
                for (save, answer) in zip(group, receipt.answers) {
                    switch answer {
                    case .stored(let usage):
                        if let usage { report(.byteThresholdReached(usage: usage)) }
                        save.completion(.success(()))
                    case .refused(let error): save.completion(.failure(error))
                    }
                }
            case .failure(let error):
                for save in group { save.completion(.failure(error)) }
            }
        }
    }
}
