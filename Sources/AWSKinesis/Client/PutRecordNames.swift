// Both services have an operation of this name. In this module, and where it alone is imported, Kinesis is meant.
public import RecorderAWS

/// What ``KinesisClient/putRecord(input:)`` takes.
public typealias PutRecordInput = KinesisClientTypes.PutRecordInput

/// What ``KinesisClient/putRecord(input:)`` gives.
public typealias PutRecordOutput = KinesisClientTypes.PutRecordOutput
