import MobileFoundation

/// The version of the AWS SDK for iOS whose API the Kinesis classes have.
public let AWSKinesisSDKVersion: String = AWSiOSSDKVersion

/// The version of the AWS SDK for iOS whose API the Firehose classes have.
public let AWSFirehoseSDKVersion: String = AWSiOSSDKVersion
