public import Foundation
import RecordFormats

/// Reads the records that a Kinesis record holds when its producer aggregated them.
///
/// The format is the [aggregation format](https://github.com/awslabs/amazon-kinesis-producer/blob/master/aggregation-format.md)
/// of the Kinesis Producer Library (KPL). Consumers built on the Kinesis Client Library (KCL) do not need this, as it reads
/// the format by itself.
///
/// A record that is not aggregated is returned as it is, so a consumer can pass every record that it gets, as in this loop over
/// the answer of `getRecords`:
///
/// ```swift
/// func handle(_ output: GetRecordsOutput) {
///     for record in output.records ?? [] {
///         guard let data = record.data else { continue }
///         for userRecord in AWSKinesisAggregation.records(from: data, partitionKey: record.partitionKey) {
///             print(userRecord.partitionKey ?? "", userRecord.data.count)
///         }
///     }
/// }
/// ```
///
/// So is one whose aggregation is damaged: its MD5 is wrong, its message is malformed or incomplete, or a record in it refers
/// to a key that is not there. The KCL does the same in the first two cases. In the third it logs an error and skips that
/// record and those after it; here no bytes are lost.
///
/// The KCL discards records whose hash key is outside the shard that they were read from. All records are returned here,
/// because the data does not say which shard that was.
public enum AWSKinesisAggregation {
    /// A record as its producer saved it: "user record" in the terms of the KPL. One Kinesis record holds one or many.
    public struct UserRecord: Sendable, Hashable {
        /// The bytes that the producer saved.
        public let data: Data
        /// The producer's partition key. For a record that is not aggregated, that of the Kinesis record, if it was given.
        public let partitionKey: String?
        /// The hash key that the producer chose instead of the partition key's MD5, as a decimal number; nil if there is none.
        public let explicitHashKey: String?
    }

    /// The user records in the data of a Kinesis record, in the order in which they were aggregated. The position of
    /// one is what the KCL calls its subsequence number.
    ///
    /// - Parameters:
    ///   - data: the record's data: the bytes, not their base64 text. Memory is proportional to its size.
    ///   - partitionKey: the record's partition key, which the result has if the record is not aggregated.
    /// - Returns: the aggregated records, or the record itself if it is not aggregated or damaged. Empty only if the aggregation
    ///   has no records.
    public static func records(from data: Data, partitionKey: String? = nil) -> [UserRecord] {
        // Data that is not aggregated is not copied.
        guard data.starts(with: AggregatedEntry.magic), let records = AggregatedEntry.records(in: Array(data)) else {
            return [UserRecord(data: data, partitionKey: partitionKey, explicitHashKey: nil)]
        }
        return records.map {
            UserRecord(data: Data($0.data), partitionKey: $0.partitionKey, explicitHashKey: $0.explicitHashKey)
        }
    }
}
