package import RecorderAWS

/// The differences between Kinesis and Firehose, as data.
///
/// Limits are those of the services' API references (PutRecords, PutRecordBatch) as of 2026.
package struct StreamServiceDescription: Sendable {
    /// Used in file names, logs and notifications.
    package let name: String
    package let service: AWSService

    // The request.
    package let operation: String
    package let streamField: String
    /// The field of a stream's ARN; nil if the service takes only names.
    package let arnField: String?
    package let sendsPartitionKey: Bool
    /// The encodings that the service understands.
    package let requestFormats: Set<RequestFormat>

    // The answer: one entry per record, with a proof of delivery or an error code.
    package let entriesField: String
    package let proofField: String

    // Limits.
    package let maximumStreamNameLength: Int
    package let maximumRequestRecords: Int
    package let maximumRequestBytes: Int
    /// The size of one record, including the partition key.
    package let maximumRecordBytes: Int
    /// The size that every stream accepts; above it, up to `maximumRecordBytes`, the stream's own setting decides.
    package let commonRecordBytes: Int

    package static let kinesis = StreamServiceDescription(
        name: "kinesis",
        service: .kinesis,
        operation: "PutRecords",
        streamField: "StreamName",
        arnField: "StreamARN",
        sendsPartitionKey: true,
        requestFormats: [.json, .cbor],
        entriesField: "Records",
        proofField: "SequenceNumber",
        maximumStreamNameLength: 128,
        maximumRequestRecords: 500,
        maximumRequestBytes: 10 * 1_024 * 1_024,
        maximumRecordBytes: 10 * 1_024 * 1_024,
        commonRecordBytes: 1_024 * 1_024
    )

    package static let firehose = StreamServiceDescription(
        name: "firehose",
        service: .firehose,
        operation: "PutRecordBatch",
        streamField: "DeliveryStreamName",
        arnField: nil,
        sendsPartitionKey: false,
        requestFormats: [.json],
        entriesField: "RequestResponses",
        proofField: "RecordId",
        maximumStreamNameLength: 64,
        maximumRequestRecords: 500,
        maximumRequestBytes: 4 * 1_024 * 1_024,
        maximumRecordBytes: 1_000 * 1_024,
        commonRecordBytes: 1_000 * 1_024
    )
}

extension StreamServiceDescription {
    /// The member of a request that names a stream: its ARN if one was given and the service takes ARNs, else its name.
    package func member(naming stream: StreamName) -> (field: String, value: String) {
        if let arnField, stream.arn != nil { (arnField, stream.rawValue) } else { (streamField, stream.name) }
    }

    /// What the host of a request depends on: the account of the stream's ARN.
    package func context(of stream: StreamName) -> EndpointContext {
        arnField != nil && stream.arn != nil ? EndpointContext(streamARN: stream.rawValue) : EndpointContext()
    }
}
