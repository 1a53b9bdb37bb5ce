public import AWSTasks
public import Foundation
public import RecorderConfiguration

/// Makes `let recorder = AWSKinesisRecorder.default()` usable with and without `!` or `?`. Published code uses both forms:
/// the AWS SDK declared `default()` as optional up to 2.5 and as non-optional from 2.6 on.
extension Optional where Wrapped: AWSAbstractKinesisRecorder {
    /// The recorder's configuration; nil if there is none.
    public var configuration: AWSServiceConfiguration! { recorder.configuration }

    /// The size of the stored records in bytes.
    public var diskBytesUsed: UInt { recorder.diskBytesUsed }

    /// The stored bytes above which each save posts a notification; 0, the default, posts none.
    public var notificationByteThreshold: UInt {
        get { recorder.notificationByteThreshold }
        nonmutating set { recorder.notificationByteThreshold = newValue }
    }

    /// The maximum size of the stored records in bytes: 5 MiB by default, 0 for no limit.
    public var diskByteLimit: UInt {
        get { recorder.diskByteLimit }
        nonmutating set { recorder.diskByteLimit = newValue }
    }

    /// The age in seconds at which records are discarded; 0, the default, for no limit.
    public var diskAgeLimit: TimeInterval {
        get { recorder.diskAgeLimit }
        nonmutating set { recorder.diskAgeLimit = newValue }
    }

    /// The maximum size of one request in bytes: 512 KiB by default; at most 10 MiB for Kinesis, 4 MiB for Firehose.
    public var batchRecordsByteLimit: UInt {
        get { recorder.batchRecordsByteLimit }
        nonmutating set { recorder.batchRecordsByteLimit = newValue }
    }

    /// The maximum size of a record in bytes: 262,144 by default; at most 10 MiB for Kinesis, 1,000 KiB for Firehose.
    public var maximumRecordBytes: UInt {
        get { recorder.maximumRecordBytes }
        nonmutating set { recorder.maximumRecordBytes = newValue }
    }

    /// Saves a record on disk, with a partition key of its own, a UUID.
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!) -> AWSTask<AnyObject>! {
        recorder.saveRecord(data, streamName: streamName)
    }

    /// Saves a record on disk, with the partition key that decides its shard (Kinesis only).
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!, partitionKey: String!) -> AWSTask<AnyObject>! {
        recorder.saveRecord(data, streamName: streamName, partitionKey: partitionKey)
    }

    /// Saves many records on disk with one call.
    @discardableResult
    public func saveRecords(_ records: [Data], streamName: String) -> AWSTask<AnyObject> {
        recorder.saveRecords(records, streamName: streamName)
    }

    /// Sends all records that were saved before this call.
    @discardableResult
    public func submitAllRecords() -> AWSTask<AnyObject>! {
        recorder.submitAllRecords()
    }

    /// Removes all records that were saved before this call, without sending them.
    @discardableResult
    public func removeAllRecords() -> AWSTask<AnyObject>! {
        recorder.removeAllRecords()
    }

    private var recorder: Wrapped {
        guard let recorder = self else {
            fatalError("There is no recorder: none is registered under the key. Register it first.")
        }
        return recorder
    }
}
