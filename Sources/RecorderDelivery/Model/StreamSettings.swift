package import RecorderAWS
package import RecorderStore

/// The settings of a Kinesis stream that decide about its records.
package struct StreamSettings: Sendable {
    /// The largest record that the stream accepts, in bytes; nil if the answer does not say.
    package let maximumRecordBytes: Int?
    /// Whether the stream distributes records by itself, and ignores partition keys.
    package let distributesRecords: Bool

    /// Reads the answer to `summaryRequest`; nil if it is not one.
    package init?(_ answer: [UInt8]) {
        guard let summary = JSONValue(answer)?.object?["StreamDescriptionSummary"]?.object else { return nil }
        if case .integer(let kibibytes)? = summary["MaxRecordSizeInKiB"], (1...1 << 20).contains(kibibytes) {
            maximumRecordBytes = kibibytes * 1_024
        } else {
            maximumRecordBytes = nil
        }
        distributesRecords = summary["RecordDistributionStrategy"]?.string == "AUTO"
    }
}

extension StreamServiceDescription {
    /// The request for the settings of a stream: DescribeStreamSummary, or DescribeDeliveryStream.
    package func summaryRequest(of stream: StreamName) -> CallRequest {
        let (field, name) = member(naming: stream)
        return CallRequest(
            arnField == nil ? "DescribeDeliveryStream" : "DescribeStreamSummary",
            body: Array(#"{"\#(field)":"\#(name)"}"#.utf8),
            context: context(of: stream)
        )
    }
}
