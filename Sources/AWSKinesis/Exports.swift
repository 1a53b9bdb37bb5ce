// `import AWSKinesis` also imports AWSCore, as it did on iOS.
@_exported public import AWSCore
// The client of the AWS SDK for Swift, and the types that it shares with that of Firehose.
@_exported public import AWSKinesisClient
@_exported public import AWSServiceClients
@_exported public import KinesisRecorders
// The clients of the AWS SDK for iOS.
@_exported public import MobileServiceClients
@_exported public import RecorderAccounting

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

extension AWSKinesisAggregation {
    /// The user records in a Kinesis record, in the order in which they were aggregated. The position of one is what the KCL
    /// calls its subsequence number.
    ///
    /// - Parameter record: a record of the client's `getRecords`.
    /// - Returns: the aggregated records, or the record itself if it is not aggregated or damaged. Empty only if the aggregation
    ///   has no records.
    public static func records(from record: KinesisClientTypes.Record) -> [UserRecord] {
        records(from: record.data ?? Data(), partitionKey: record.partitionKey)
    }
}
