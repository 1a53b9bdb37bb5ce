/// The Swift 2 name of `NSNotification.Name.AWSKinesisRecorderByteThresholdReached`.
public let AWSKinesisRecorderByteThresholdReachedNotification =
    "com.amazonaws.AWSKinesisRecorderByteThresholdReachedNotification"

/// The Swift 2 name of `NSNotification.Name.AWSFirehoseRecorderByteThresholdReached`.
public let AWSFirehoseRecorderByteThresholdReachedNotification =
    "com.amazonaws.AWSFirehoseRecorderByteThresholdReachedNotification"
