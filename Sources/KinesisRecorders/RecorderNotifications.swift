public import Foundation
import MobileFoundation

/// The `userInfo` key of the stored bytes, an `NSNumber`.
public let AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey = "diskBytesUsed"

/// The `userInfo` key of the stored bytes, an `NSNumber`.
public let AWSFirehoseRecorderByteThresholdReachedNotificationDiskBytesUsedKey = "diskBytesUsed"

/// The key of the reason, a `String`, in the `userInfo` of `AWSRecorderDidDiscardRecords`: `diskByteLimit`, `diskAgeLimit`,
/// `retriesExhausted`, or the service's error code for an invalid record.
public let AWSRecorderDiscardReasonKey = "reason"

/// The key of what the service said, a `String`, in the `userInfo` of `AWSRecorderDidDiscardRecords`; present only if it rejected
/// a record. Of a record that is larger than its stream accepts, it has both sizes.
public let AWSRecorderDiscardMessageKey = "message"

/// The key of the number of discarded records, an `NSNumber`, in the `userInfo` of `AWSRecorderDidDiscardRecords`.
public let AWSRecorderDiscardCountKey = "count"

/// The key of the discarded records' size in bytes, an `NSNumber`, in the `userInfo` of `AWSRecorderDidDiscardRecords`.
public let AWSRecorderDiscardBytesKey = "bytes"

/// The key of the discarded records' streams, a `[String]`, in the `userInfo` of `AWSRecorderDidDiscardRecords`: the names or
/// ARNs that were given to `saveRecord`.
public let AWSRecorderDiscardStreamNamesKey = "streamNames"

/// The key of the number of rescued records, an `NSNumber`, in the `userInfo` of `AWSRecorderDidRescueRecords`.
public let AWSRecorderRescuedCountKey = "rescuedCount"

/// The key of the number of lost records, an `NSNumber`, in the `userInfo` of `AWSRecorderDidRescueRecords`; absent if it
/// is unknown.
public let AWSRecorderLostCountKey = "lostCount"

/// The key of the damaged file's new path, a `String`, in the `userInfo` of `AWSRecorderDidRescueRecords`.
public let AWSRecorderDamagedFileKey = "damagedFile"

extension NSNotification.Name {
    /// Posted by each save that finds more than `notificationByteThreshold` bytes stored, before its task completes.
    ///
    /// The sender is the recorder. Posted on a background thread. The bytes are counted before any are discarded; they are
    /// an `NSNumber` under `AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey`.
    ///
    /// An observer that blocks, for example because its queue is not served, delays the save's task by at most about 0.1 s.
    /// Up to 1,024 later notifications wait for it; beyond that, only the newest is kept.
    public static let AWSKinesisRecorderByteThresholdReached = NSNotification.Name(
        AWSKinesisRecorderByteThresholdReachedNotification
    )

    /// Posted by each save that finds more than `notificationByteThreshold` bytes stored, before its task completes.
    ///
    /// The sender is the recorder. Posted on a background thread. The bytes are counted before any are discarded; they are
    /// an `NSNumber` under `AWSFirehoseRecorderByteThresholdReachedNotificationDiskBytesUsedKey`.
    ///
    /// An observer that blocks, for example because its queue is not served, delays the save's task by at most about 0.1 s.
    /// Up to 1,024 later notifications wait for it; beyond that, only the newest is kept.
    public static let AWSFirehoseRecorderByteThresholdReached = NSNotification.Name(
        AWSFirehoseRecorderByteThresholdReachedNotification
    )

    /// Posted when records were removed without being delivered: because of a limit, after too many failures, or because
    /// the service rejected them as invalid.
    ///
    /// The sender is the recorder; `userInfo` contains the reason, the number of records, their size and their streams.
    /// Posted on a background thread. The AWS SDK discarded such records silently.
    public static let AWSRecorderDidDiscardRecords = NSNotification.Name(
        "com.amazonaws.AWSRecorderDidDiscardRecordsNotification"
    )

    /// Posted when the store's file was found damaged. It was moved aside, and all readable records are in a new file.
    ///
    /// The sender is the recorder; `userInfo` contains the numbers of rescued and lost records and the damaged file's path.
    /// Posted on a background thread.
    public static let AWSRecorderDidRescueRecords = NSNotification.Name(
        "com.amazonaws.AWSRecorderDidRescueRecordsNotification"
    )
}
