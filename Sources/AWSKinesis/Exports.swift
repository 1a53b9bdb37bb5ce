// `import AWSKinesis` brings AWSCore with it, as it did on iOS.
@_exported public import AWSCore
// The modern clients, `KinesisClient` and `FirehoseClient`.
@_exported public import RecorderAWS
