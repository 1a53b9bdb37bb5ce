// `import AWSFirehose` brings what `import AWSKinesis` does: both recorders, both clients. Names that both services have
// mean Firehose's here.
@_exported public import AWSKinesis
public import RecorderAWS

/// What `FirehoseClient.putRecord(input:)` takes.
public typealias PutRecordInput = FirehoseClientTypes.PutRecordInput

/// What `FirehoseClient.putRecord(input:)` gives.
public typealias PutRecordOutput = FirehoseClientTypes.PutRecordOutput
