import Foundation
import RecorderConcurrency

/// The line: callers append in order and go on, one drain at a time stores what waits in one commit (group commit).
final class SaveLine: Sendable {
    private enum Entry: Sendable {
        case save(PendingSave)
        /// Something that must come after the saves before it and ahead of those after it.
        case step(@Sendable () -> Void)
    }

    private struct State {
        var waiting: [Entry] = []
        var isDraining = false
    }

    /// One commit takes at most so much, so that memory and the wait for the first completion stay bounded.
    private static let maximumGroup = 1_024
    private static let maximumGroupBytes = 4 * 1_024 * 1_024

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
        append(.save(save))
    }

    /// Runs `step` on the writer's queue when everything before it in the line is stored.
    func afterEarlierSaves(_ step: @escaping @Sendable () -> Void) {
        append(.step(step))
    }

    private func append(_ entry: Entry) {
        let starts = state.withLock { state in
            state.waiting.append(entry)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if starts { store.onWriterQueue { self.drain() } }
    }

    /// Stores what waits. Between two groups other work of the writer (settles) gets its turn.
    private func drain() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        var rest = waiting[...]
        while !rest.isEmpty {
            let group = Self.nextGroup(&rest)
            if !group.isEmpty { save(group) }
            if case .step(let step)? = rest.first {
                rest.removeFirst()
                step()
            }
        }
        let isDone = state.withLock { state in
            state.isDraining = !state.waiting.isEmpty
            return state.waiting.isEmpty
        }
        if !isDone { store.onWriterQueue { self.drain() } }
    }

    private static func nextGroup(_ rest: inout ArraySlice<Entry>) -> [PendingSave] {
        var group: [PendingSave] = []
        var bytes = 0
        while case .save(let save)? = rest.first, group.count < maximumGroup {
            bytes += save.record.storedBytes
            guard group.isEmpty || bytes <= maximumGroupBytes else { break }
            group.append(save)
            rest.removeFirst()
        }
        return group
    }

    private func save(_ group: [PendingSave]) {
        let result = Result { () throws(RecorderError) in try store.append(group) }
        delivery.deliver { [report] in
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
