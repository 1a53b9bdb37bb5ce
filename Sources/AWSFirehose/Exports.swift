// The client of the AWS SDK for Swift.
@_exported public import AWSFirehoseClient
// `import AWSFirehose` also imports what `import AWSKinesis` does: both recorders, and the clients of the AWS SDK for iOS.
@_exported public import AWSKinesis

// Both services have an operation `PutRecord`. Where this module is imported, its names mean those of Firehose.

/// The input of ``FirehoseClient/putRecord(input:)``.
public typealias PutRecordInput = FirehoseClientTypes.PutRecordInput

/// The output of ``FirehoseClient/putRecord(input:)``.
public typealias PutRecordOutput = FirehoseClientTypes.PutRecordOutput

// The class hides the module of the same name, so `AWSFirehose.FirehoseClient` is looked up here.
extension AWSFirehose {
    /// The client with `async` operations.
    public typealias FirehoseClient = AWSFirehoseClient.FirehoseClient

    /// The structures inside its inputs and outputs.
    public typealias FirehoseClientTypes = AWSFirehoseClient.FirehoseClientTypes

    /// The input of its `putRecord(input:)`.
    public typealias PutRecordInput = AWSFirehoseClient.FirehoseClientTypes.PutRecordInput

    /// The output of its `putRecord(input:)`.
    public typealias PutRecordOutput = AWSFirehoseClient.FirehoseClientTypes.PutRecordOutput
}
