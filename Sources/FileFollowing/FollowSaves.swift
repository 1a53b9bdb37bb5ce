import LineRecords
import RecorderConcurrency
import RecorderStore

/// The saves of a follower, and how much of what was read is not stored yet.
final class FollowSaves {
    private let window = SaveWindow(capacity: 512 * 1_024)
    private let counts = FollowCounts()
    /// Saves that have not begun.
    private var held: [(store: any FollowStore, save: () -> Void)] = []
    private var heldBytes = 0
    private static let mostHeld = 320 * 1_024
    private let tellFailedSave: @Sendable () -> Void

    init(in system: any FileSystem) {
        tellFailedSave = system.tellFailedSave
    }

    /// Stores records together with changes of positions, with others that are saved soon after: a round's saves take few commits.
    /// Blocks while too much is on its way.
    func save(
        _ payloads: PayloadList,
        of file: FollowedFile,
        to flow: FlowFollower,
        _ changes: FilePositionChanges,
        at position: FilePosition
    ) {
        let size = payloads.bytes.count + payloads.ranges.count * SaveWindow.overhead + 1
        if heldBytes + size > Self.mostHeld { begin() }
        heldBytes += size
        guard let saves = file.saves else { preconditionFailure("a file at rest has lines to save") }
        saves.begin()
        let (store, saved) = (flow.store, flow.saved)
        let save = { [self] in
            store.save(
                payloads,
                stream: flow.flow.stream,
                partitionKey: flow.flow.partitionKey,
                sequence: saves.sequence,
                filePositions: changes
            ) { [window, counts, tellFailedSave] result in
                saves.end(result, at: position)
                if case .success = result {
                    counts.add(payloads.ranges.count)
                    if !payloads.ranges.isEmpty { saved() }
                } else {
                    tellFailedSave()
                }
                window.leave(size)
            }
        }
        held.append((store, save))
    }

    /// Begins the saves that are held back.
    func begin() {
        guard !held.isEmpty else { return }
        window.enter(heldBytes)
        let stores = Dictionary(held.map { (ObjectIdentifier($0.store), $0.store) }) { first, _ in first }
        together(Array(stores.values)[...]) { for (_, save) in held { save() } }
        held.removeAll(keepingCapacity: true)
        heldBytes = 0
    }

    private func together(_ stores: ArraySlice<any FollowStore>, _ body: () -> Void) {
        guard let store = stores.first else { return body() }
        store.saveTogether { together(stores.dropFirst(), body) }
    }

    /// How many saves were stored.
    var stored: Int { counts.saves }

    /// How many records were stored.
    var records: Int { counts.records }

    /// Blocks until all saves have an answer.
    func waitUntilStored() {
        begin()
        window.waitUntilEmpty()
    }
}

/// The records that were stored, and the saves.
private final class FollowCounts: Sendable {
    private let count = Locked((records: 0, saves: 0))

    var records: Int { count.withLock { $0.records } }
    var saves: Int { count.withLock { $0.saves } }

    func add(_ records: Int) {
        count.withLock { count in
            count.records += records
            count.saves += 1
        }
    }
}
