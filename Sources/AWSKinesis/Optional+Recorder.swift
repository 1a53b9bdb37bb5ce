public import AWSCore
public import Foundation

/// Lets `let recorder = AWSKinesisRecorder.default()` be used with and without `!` or `?`, as published code mixes them:
/// the AWS SDK declared `default()` optional up to 2.5 and non-optional from 2.6 on.
extension Optional where Wrapped: AWSAbstractKinesisRecorder {
    /// What the stored records take, in bytes.
    public var diskBytesUsed: UInt { recorder.diskBytesUsed }

    /// Bytes stored beyond which each save posts a notification; 0, the default, posts none.
    public var notificationByteThreshold: UInt {
        get { recorder.notificationByteThreshold }
        nonmutating set { recorder.notificationByteThreshold = newValue }
    }

    /// The most that records may take on disk, in bytes: 5 MiB by default, 0 for no limit.
    public var diskByteLimit: UInt {
        get { recorder.diskByteLimit }
        nonmutating set { recorder.diskByteLimit = newValue }
    }

    /// The age in seconds at which records are discarded; 0, the default, keeps them for ever.
    public var diskAgeLimit: TimeInterval {
        get { recorder.diskAgeLimit }
        nonmutating set { recorder.diskAgeLimit = newValue }
    }

    /// The most that one request carries, in bytes: 512 KiB by default, 4 MiB at most.
    public var batchRecordsByteLimit: UInt {
        get { recorder.batchRecordsByteLimit }
        nonmutating set { recorder.batchRecordsByteLimit = newValue }
    }

    /// Saves a record on disk, with a random partition key.
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!) -> AWSTask<AnyObject>! {
        recorder.saveRecord(data, streamName: streamName)
    }

    /// Saves a record on disk, with the partition key that decides its shard (Kinesis only).
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!, partitionKey: String!) -> AWSTask<AnyObject>! {
        recorder.saveRecord(data, streamName: streamName, partitionKey: partitionKey)
    }

    /// Sends every record that was saved before this call.
    @discardableResult
    public func submitAllRecords() -> AWSTask<AnyObject>! {
        recorder.submitAllRecords()
    }

    /// Removes every record that was saved before this call, without sending it.
    @discardableResult
    public func removeAllRecords() -> AWSTask<AnyObject>! {
        recorder.removeAllRecords()
    }

    private var recorder: Wrapped {
        guard let recorder = self else {
            fatalError("There is no recorder: it was looked up under a key that nobody registered. Register it first.")
        }
        return recorder
    }
}
