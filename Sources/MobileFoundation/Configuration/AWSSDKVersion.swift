/// The version of the AWS SDK for iOS whose API this module has. Code that compares versions of the SDK takes the right path.
public let AWSiOSSDKVersion = "2.13.2"
