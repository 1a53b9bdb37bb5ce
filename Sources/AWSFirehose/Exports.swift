// `import AWSFirehose` imports the same as `import AWSKinesis`: both recorders, both clients.
@_exported public import AWSKinesis
public import AWSServiceClients

// Both services have an operation `PutRecord`. Where this module is imported, its names mean those of Firehose.

/// The input of `FirehoseClient.putRecord(input:)`.
public typealias PutRecordInput = FirehoseClientTypes.PutRecordInput

/// The output of `FirehoseClient.putRecord(input:)`.
public typealias PutRecordOutput = FirehoseClientTypes.PutRecordOutput
