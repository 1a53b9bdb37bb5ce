package import FoundationEssentials
import RecorderConcurrency
package import RecorderStore

/// Saving many records with one call and one completion.
extension RecordPipeline {
    /// The most records that `save(contentsOf:)` stores in one commit, and their bytes.
    private static let mostRecords = 4_096
    private static let mostBytes = 512 * 1_024

    /// Queues records of one stream, which are stored in one commit: all of them or none. The caller keeps them to a mebibyte.
    ///
    /// `partitionKey` is the key of each, unless the list has keys. Otherwise the same as saving one record. Limits apply to all
    /// together: the oldest records are discarded, and the usage is reported, once all are stored. `filePositions` are stored in
    /// the same commit, or not either; the list may be empty then.
    package func save(
        _ payloads: PayloadList,
        stream: String?,
        partitionKey: String?,
        sequence: SaveSequence? = nil,
        filePositions: FilePositionChanges? = nil,
        completion: @escaping SaveCompletion
    ) {
        do {
            let (policy, ranges) = (policy, payloads.ranges)
            let size = { (index: Int) in PayloadSize(ranges[index].count, ranges[index].count) }
            let (name, key) = try checkRecords(
                ranges.count,
                size,
                stream: stream,
                partitionKey: partitionKey,
                by: policy
            )
            try service.checkKeys(of: payloads)
            let group = RecordGroup(payloads, of: name, partitionKey: key)
            saves.append(
                PendingSave(
                    .many(group),
                    policy: policy,
                    sequence: sequence,
                    filePositions: filePositions,
                    completion: completion
                )
            )
        } catch {
            sequence?.fail(error)
            completion(.failure(error))
        }
    }

    /// Stores the saves that `body` queues in as few commits as possible. It must not wait for saves, nor queue more than there is
    /// room for: nothing is stored before it returns.
    package func saveTogether(_ body: () -> Void) { saves.together(body) }

    /// The positions of the files that one stream follows, or of all, without those with known ids, as of the last completed save.
    /// Blocks for one read.
    package func filePositions(
        of stream: String? = nil,
        except known: Set<Int64> = []
    ) throws(RecorderError) -> FilePositions {
        try ForkedProcess.check()
        return try store.filePositions(of: stream, except: known)
    }

    /// Claims of followed files, so that one process reads each into this store.
    package func fileClaims() -> FileClaims { store.fileClaims() }

    /// Queues any number of records of one stream, and calls `completion` once, when all are durable, or no more of them will
    /// be: after an error the records that are stored are the first ones, and its message says how many.
    ///
    /// If one is invalid, none is stored. If the queue is full, this blocks as saving one record does.
    package func save(
        contentsOf payloads: [Data],
        stream: String?,
        partitionKey: String?,
        completion: @escaping SaveCompletion
    ) {
        save(contentsOf: payloads, stream: stream, partitionKey: partitionKey, completion) { saves.append($0) }
    }

    /// The same for asynchronous code: if the queue is full, this suspends.
    package func save(contentsOf payloads: [Data], stream: String?, partitionKey: String?) async throws(RecorderError) {
        let result = await withCheckedContinuation { continuation in
            let completion: SaveCompletion = { continuation.resume(returning: $0) }
            save(contentsOf: payloads, stream: stream, partitionKey: partitionKey, completion) { saves.appendLater($0) }
        }
        try result.get()
    }

    private func save(
        contentsOf payloads: [Data],
        stream: String?,
        partitionKey: String?,
        _ completion: @escaping SaveCompletion,
        append: (PendingSave) -> Void
    ) {
        do {
            let (policy, delimiter) = (policy, policy.delimiter)
            let size = { (index: Int) in payloads[index].size(endingWith: delimiter) }
            let (name, key) = try checkRecords(
                payloads.count,
                size,
                stream: stream,
                partitionKey: partitionKey,
                by: policy
            )
            let groups = lists(of: payloads, endingWith: delimiter).map { RecordGroup($0, of: name, partitionKey: key) }
            guard !groups.isEmpty else { return completion(.success(())) }
            let sequence = SaveSequence()
            let tally = Tally(groups: groups.count, records: payloads.count, completion: completion)
            for group in groups {
                append(
                    PendingSave(.many(group), policy: policy, sequence: sequence) { tally.count($0, of: group.count) }
                )
            }
        } catch {
            completion(.failure(error))
        }
    }

    private func lists(of payloads: [Data], endingWith delimiter: UInt8?) -> [PayloadList] {
        var lists: [PayloadList] = []
        for payload in payloads {
            let isFull = lists.last.map { list in
                list.ranges.count == Self.mostRecords || list.bytes.count + payload.count > Self.mostBytes
            }
            if isFull ?? true { lists.append(PayloadList()) }
            lists[lists.count - 1].append(payload, endingWith: delimiter)
        }
        return lists
    }

    private func checkRecords(
        _ count: Int,
        _ size: (Int) -> PayloadSize,
        stream: String?,
        partitionKey: String?,
        by policy: RecorderPolicy
    ) throws(RecorderError) -> (StreamName, RecordKey) {
        try ForkedProcess.check()
        return try service.checkRecords(
            count: count,
            size: size,
            stream: stream,
            partitionKey: partitionKey,
            maximumBytes: policy.maximumRecordBytes,
            countsKey: policy.countsKeyInRecord,
            region: region
        )
    }
}

/// The results of the groups of one call, which arrive in order.
private final class Tally: Sendable {
    private let state: Locked<(groups: Int, saved: Int, failure: RecorderError?)>
    private let records: Int
    private let completion: SaveCompletion

    init(groups: Int, records: Int, completion: @escaping SaveCompletion) {
        state = Locked((groups, 0, nil))
        self.records = records
        self.completion = completion
    }

    func count(_ result: Result<Void, RecorderError>, of count: Int) {
        let (isLast, saved, failure) = state.withLock { state in
            switch result {
            case .success: state.saved += count
            case .failure(let error): state.failure = state.failure ?? error
            }
            state.groups -= 1
            return (state.groups == 0, state.saved, state.failure)
        }
        guard isLast else { return }
        completion(failure.map { .failure($0.adding(savedFirst: saved, of: records)) } ?? .success(()))
    }
}

extension RecorderError {
    /// The same error of a call that saved only the first of its records.
    fileprivate func adding(savedFirst saved: Int, of records: Int) -> RecorderError {
        let note =
            saved == 0
            ? "None of the \(records) records was saved." : "The first \(saved) of \(records) records were saved."
        switch self {
        case .storage(let message, let error): return .storage("\(message) \(note)", error)
        case .storeFull(let message): return .storeFull("\(message) \(note)")
        default: return self
        }
    }
}
