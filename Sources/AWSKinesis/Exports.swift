// `import AWSKinesis` also imports AWSCore, as it did on iOS.
@_exported public import AWSCore
// The client of the AWS SDK for Swift, and the types that it shares with that of Firehose.
@_exported public import AWSKinesisClient
@_exported public import AWSServiceClients

// Both services have an operation `PutRecord`. Where only this module is imported, its names mean those of Kinesis.

/// The input of ``KinesisClient/putRecord(input:)``.
public typealias PutRecordInput = KinesisClientTypes.PutRecordInput

/// The output of ``KinesisClient/putRecord(input:)``.
public typealias PutRecordOutput = KinesisClientTypes.PutRecordOutput

// The class hides the module of the same name, so `AWSKinesis.KinesisClient` is looked up here.
extension AWSKinesis {
    /// The client with `async` operations.
    public typealias KinesisClient = AWSKinesisClient.KinesisClient

    /// The structures inside its inputs and outputs.
    public typealias KinesisClientTypes = AWSKinesisClient.KinesisClientTypes

    /// The input of its `putRecord(input:)`.
    public typealias PutRecordInput = AWSKinesisClient.KinesisClientTypes.PutRecordInput

    /// The output of its `putRecord(input:)`.
    public typealias PutRecordOutput = AWSKinesisClient.KinesisClientTypes.PutRecordOutput
}
