import CRecorderProcess
import Glibc
import RecorderConcurrency
import RecorderEngine

/// The saves of a follower, and how much of what was read is not stored yet.
final class FollowSaves {
    private let window = SaveWindow(capacity: .kibibytes(512))
    private let counts = FollowCounts()
    /// Saves that have not begun.
    private var held: [(pipeline: RecordPipeline, save: () -> Void)] = []
    private var heldBytes = 0
    private static let mostHeld = 320 * 1_024
    /// Readable after a save failed.
    let failed: Int32
    private let failing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe2(&ends, O_CLOEXEC | O_NONBLOCK)
        (failed, failing) = (ends[0], ends[1])
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
        let (pipeline, saved) = (flow.pipeline, flow.saved)
        let save = { [self] in
            pipeline.save(
                payloads,
                stream: flow.flow.stream,
                partitionKey: flow.flow.partitionKey,
                sequence: saves.sequence,
                filePositions: changes
            ) { [window, counts, failing] result in
                saves.end(result, at: position)
                if case .success = result {
                    counts.add(payloads.ranges.count)
                    if !payloads.ranges.isEmpty { saved() }
                } else {
                    _ = unsafe write(failing, "!", 1)
                }
                window.leave(size)
            }
        }
        held.append((pipeline, save))
    }

    /// Begins the saves that are held back.
    func begin() {
        guard !held.isEmpty else { return }
        window.enter(heldBytes)
        let pipelines = Dictionary(held.map { (ObjectIdentifier($0.pipeline), $0.pipeline) }) { first, _ in first }
        together(Array(pipelines.values)[...]) { for (_, save) in held { save() } }
        held.removeAll(keepingCapacity: true)
        heldBytes = 0
    }

    private func together(_ pipelines: ArraySlice<RecordPipeline>, _ body: () -> Void) {
        guard let pipeline = pipelines.first else { return body() }
        pipeline.saveTogether { together(pipelines.dropFirst(), body) }
    }

    deinit {
        _ = close(failed)
        _ = close(failing)
    }

    /// How many saves were stored.
    var stored: Int { counts.saves }

    /// How many records were stored.
    var records: Int { counts.records }

    func takeFailures() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(failed, &bytes, bytes.count) > 0 {}
    }

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
