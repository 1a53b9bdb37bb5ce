import Dispatch
import RecorderConcurrency
import RecorderEngine
package import RecorderStore

/// Where a follower stores records and positions: a pipeline.
package protocol FollowStore: AnyObject, Sendable {
    var service: StreamServiceDescription { get }

    /// Queues records and changes of positions, which are stored in one commit.
    func save(
        _ payloads: PayloadList,
        stream: String?,
        partitionKey: String?,
        sequence: SaveSequence?,
        filePositions: FilePositionChanges?,
        completion: @escaping SaveCompletion
    )
    /// Stores the saves that `body` queues in as few commits as possible.
    func saveTogether(_ body: () -> Void)
    /// The positions of one stream, or all of them, without those that are known.
    func filePositions(of stream: String?, except known: Set<Int64>) throws(RecorderError) -> FilePositions
    func fileClaims() -> FileClaims
}

extension RecordPipeline: FollowStore {}

extension FollowStore {
    /// Stores changes of positions; blocks until they are on disk.
    func saveNow(_ changes: FilePositionChanges, stream: String) throws(RecorderError) {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Result<Void, RecorderError>>(.success(()))
        save(PayloadList(), stream: stream, partitionKey: nil, sequence: nil, filePositions: changes) { answer in
            result.withLock { $0 = answer }
            done.signal()
        }
        done.wait()
        try result.withLock { $0 }.get()
    }
}
