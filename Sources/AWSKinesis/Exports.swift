// `import AWSKinesis` also imports AWSCore, as it did on iOS.
@_exported public import AWSCore
// The modern clients, `KinesisClient` and `FirehoseClient`.
@_exported public import AWSServiceClients

// Both services have an operation `PutRecord`. Where only this module is imported, its names mean those of Kinesis.

/// The input of ``KinesisClient/putRecord(input:)``.
public typealias PutRecordInput = KinesisClientTypes.PutRecordInput

/// The output of ``KinesisClient/putRecord(input:)``.
public typealias PutRecordOutput = KinesisClientTypes.PutRecordOutput
