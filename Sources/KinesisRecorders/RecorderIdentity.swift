import Foundation
import RecorderConcurrency
import RecorderStore

/// Identifies a recorder: its service, its key, and the names that depend on the service.
struct RecorderIdentity: Sendable {
    let service: StreamServiceDescription
    /// nil for the shared recorder.
    let key: String?
    /// The directory that this recorder was given; nil if it uses that of all.
    var directory: URL?
    /// The recorder's section in `AWSInfo`.
    let infoSection: String
    /// The domain of errors about records.
    let recorderErrorDomain: String
    let byteThresholdReached: Notification.Name
    /// The `userInfo` key of the stored bytes.
    let diskBytesUsedKey: String

    /// The value of `AWSAbstractKinesisRecorder.storeDirectory`.
    static let directory = Locked<URL?>(nil)

    func location() throws(RecorderError) -> StoreLocation {
        let directory = directory ?? Self.directory.withLock { $0 }
        guard directory?.isFileURL != false else {
            throw .storage(
                "The recorder's directory is not a file URL. Set it to URL(fileURLWithPath:) of a directory.",
                nil
            )
        }
        return try StoreLocation(
            service: service.name,
            key: key,
            directory: directory?.path,
            program: ProcessInfo.processInfo.processName
        )
    }

    static func kinesis(key: String?) -> RecorderIdentity {
        RecorderIdentity(
            service: .kinesis,
            key: key,
            infoSection: "KinesisRecorder",
            recorderErrorDomain: AWSKinesisRecorderErrorDomain,
            byteThresholdReached: .AWSKinesisRecorderByteThresholdReached,
            diskBytesUsedKey: AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey
        )
    }

    static func firehose(key: String?) -> RecorderIdentity {
        RecorderIdentity(
            service: .firehose,
            key: key,
            infoSection: "FirehoseRecorder",
            recorderErrorDomain: AWSFirehoseRecorderErrorDomain,
            byteThresholdReached: .AWSFirehoseRecorderByteThresholdReached,
            diskBytesUsedKey: AWSFirehoseRecorderByteThresholdReachedNotificationDiskBytesUsedKey
        )
    }
}
