public import Foundation

/// Posted when a save finds more than `notificationByteThreshold` bytes stored: the Swift 2 name.
public let AWSKinesisRecorderByteThresholdReachedNotification =
    "com.amazonaws.AWSKinesisRecorderByteThresholdReachedNotification"

/// Posted when a save finds more than `notificationByteThreshold` bytes stored: the Swift 2 name.
public let AWSFirehoseRecorderByteThresholdReachedNotification =
    "com.amazonaws.AWSFirehoseRecorderByteThresholdReachedNotification"

/// The key of the bytes stored, an `NSNumber`, in the notification's `userInfo`.
public let AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey = "diskBytesUsed"

/// The key of the bytes stored, an `NSNumber`, in the notification's `userInfo`.
public let AWSFirehoseRecorderByteThresholdReachedNotificationDiskBytesUsedKey = "diskBytesUsed"

/// The key of why records were discarded, a `String`, in `AWSRecorderDidDiscardRecords`' `userInfo`: `diskByteLimit`,
/// `diskAgeLimit`, `retriesExhausted`, or the code with which the service called the record invalid.
public let AWSRecorderDiscardReasonKey = "reason"

/// The key of how many records were discarded, an `NSNumber`, in `AWSRecorderDidDiscardRecords`' `userInfo`.
public let AWSRecorderDiscardCountKey = "count"

/// The key of the bytes that the discarded records took, an `NSNumber`, in `AWSRecorderDidDiscardRecords`' `userInfo`.
public let AWSRecorderDiscardBytesKey = "bytes"

/// The key of the streams concerned, a `[String]`, in `AWSRecorderDidDiscardRecords`' `userInfo`.
public let AWSRecorderDiscardStreamNamesKey = "streamNames"

/// The key of how many records could be read, an `NSNumber`, in `AWSRecorderDidRescueRecords`' `userInfo`.
public let AWSRecorderRescuedCountKey = "rescuedCount"

/// The key of how many records could not, an `NSNumber`, in `AWSRecorderDidRescueRecords`' `userInfo`; absent where the
/// damaged file does not tell.
public let AWSRecorderLostCountKey = "lostCount"

/// The key of where the damaged file lies now, a `String`, in `AWSRecorderDidRescueRecords`' `userInfo`.
public let AWSRecorderDamagedFileKey = "damagedFile"

extension NSNotification.Name {
    /// Posted for each save that finds more than `notificationByteThreshold` bytes stored, before its task completes.
    ///
    /// The sender is the recorder. Posted on a background thread; the bytes are counted before any are discarded, and are
    /// an `NSNumber` under `AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey`.
    ///
    /// An observer that blocks, such as one on a queue that is not served, delays its save's task by about 0.1 s at most.
    /// Later notifications wait for it, 1,024 of them; of those beyond that the newest is kept.
    public static let AWSKinesisRecorderByteThresholdReached = NSNotification.Name(
        AWSKinesisRecorderByteThresholdReachedNotification
    )

    /// Posted for each save that finds more than `notificationByteThreshold` bytes stored, before its task completes.
    ///
    /// The sender is the recorder. Posted on a background thread; the bytes are counted before any are discarded, and are
    /// an `NSNumber` under `AWSFirehoseRecorderByteThresholdReachedNotificationDiskBytesUsedKey`.
    ///
    /// An observer that blocks, such as one on a queue that is not served, delays its save's task by about 0.1 s at most.
    /// Later notifications wait for it, 1,024 of them; of those beyond that the newest is kept.
    public static let AWSFirehoseRecorderByteThresholdReached = NSNotification.Name(
        AWSFirehoseRecorderByteThresholdReachedNotification
    )

    /// Posted when records left the disk undelivered: for a limit, a retry rule, or because the service called them
    /// invalid.
    ///
    /// The sender is the recorder; `userInfo` has the reason, the number of records, their bytes and their streams.
    /// Posted on a background thread. The AWS SDK dropped such records silently.
    public static let AWSRecorderDidDiscardRecords = NSNotification.Name(
        "com.amazonaws.AWSRecorderDidDiscardRecordsNotification"
    )

    /// Posted when the store's file turned out to be damaged: it was put aside, and what could be read is in a new one.
    ///
    /// The sender is the recorder; `userInfo` has the records rescued, those lost, and where the damaged file lies.
    /// Posted on a background thread.
    public static let AWSRecorderDidRescueRecords = NSNotification.Name(
        "com.amazonaws.AWSRecorderDidRescueRecordsNotification"
    )
}
