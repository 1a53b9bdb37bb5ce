public import Foundation
import RecorderAWS
import RecorderEngine
import RecorderStore

/// Saving and submitting for asynchronous code. Not part of the original.
extension AWSAbstractKinesisRecorder {
    /// Saves a record on disk; returns once it is durable. Kinesis gets it with a partition key of its own.
    ///
    /// - Parameters:
    ///   - data: At most `maximumRecordBytes`.
    ///   - streamName: Letters, digits, `_`, `.` and `-`; up to 128 characters, 64 for Firehose. Or the stream's ARN.
    /// - Throws: The `NSError` that the task of `saveRecord` has. The record is not stored then.
    public nonisolated(nonsending) func save(_ data: Data, to streamName: String) async throws {
        try await store([data], in: streamName, partitionKey: nil)
    }

    /// Saves many records on disk with one call, which costs a fraction of as many calls; returns once all are durable.
    ///
    /// They keep their order. If one is invalid, none is saved. After another error the records that are saved are the first
    /// ones, and the error's description says how many.
    ///
    /// - Parameters:
    ///   - records: At most `maximumRecordBytes` each.
    ///   - streamName: Letters, digits, `_`, `.` and `-`; up to 128 characters, 64 for Firehose. Or the stream's ARN.
    /// - Throws: The `NSError` that the task of `saveRecords` has.
    public nonisolated(nonsending) func save(contentsOf records: [Data], to streamName: String) async throws {
        try await store(records, in: streamName, partitionKey: nil)
    }

    /// Sends all records that were saved before this call, like `submitAllRecords`. Throws the first stream's error.
    ///
    /// If the waiting Swift task is cancelled, this throws `CancellationError` at once, and the submit stops unless another
    /// call waits for it. Records without a response stay.
    public nonisolated(nonsending) func submit() async throws {
        let cancellation = AWSCancellationTokenSource()
        try await withTaskCancellationHandler {
            _ = try await submitAllRecords(cancellationToken: cancellation.token).value
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Where the queue of saves is full, this suspends, where `saveRecord` blocks.
    nonisolated(nonsending) func store(
        _ records: [Data],
        in streamName: String,
        partitionKey: String?
    ) async throws(NSError) {
        // The sender of notifications lives until then.
        defer { withExtendedLifetime(self) {} }
        do throws(RecorderError) {
            if records.count == 1 {
                try await pipeline.save(records[0], stream: streamName, partitionKey: partitionKey)
            } else {
                try await pipeline.save(contentsOf: records, stream: streamName, partitionKey: partitionKey)
            }
        } catch {
            throw errors.error(error)
        }
    }
}

extension AWSKinesisRecorder {
    /// Saves a record on disk, with the partition key that decides its shard; returns once it is durable.
    ///
    /// - Parameters:
    ///   - data: At most `maximumRecordBytes`.
    ///   - streamName: Letters, digits, `_`, `.` and `-`, up to 128 characters. Or the stream's ARN.
    ///   - partitionKey: 1 to 256 characters.
    /// - Throws: The `NSError` that the task of `saveRecord` has. The record is not stored then.
    public nonisolated(nonsending) func save(
        _ data: Data,
        to streamName: String,
        partitionKey: String
    ) async throws {
        try await store([data], in: streamName, partitionKey: partitionKey)
    }

    /// Saves many records with the same partition key; otherwise like `save(contentsOf:to:)`.
    ///
    /// - Parameters:
    ///   - records: At most `maximumRecordBytes` each.
    ///   - streamName: Letters, digits, `_`, `.` and `-`, up to 128 characters. Or the stream's ARN.
    ///   - partitionKey: 1 to 256 characters.
    /// - Throws: The `NSError` that the task of `saveRecords` has.
    public nonisolated(nonsending) func save(
        contentsOf records: [Data],
        to streamName: String,
        partitionKey: String
    ) async throws {
        try await store(records, in: streamName, partitionKey: partitionKey)
    }
}
