public import AWSTasks
public import Foundation
import MobileFoundation
import RecorderAWS
import RecorderConcurrency
public import RecorderConfiguration
package import RecorderEngine
import RecorderStore

/// The base class of `AWSKinesisRecorder` and `AWSFirehoseRecorder`: records are saved on disk now and sent later.
///
/// Create a recorder with `AWSKinesisRecorder()` or `AWSFirehoseRecorder()`; code for the AWS SDK gets one from `default()`, or
/// registers one under a key. Safe
/// to use from any thread. Tasks complete and notifications are posted on the recorder's background threads, in the order
/// of the saves and one at a time. Blocks and observers may block, save, submit and wait for each other: if one blocks for
/// more than about 0.1 s, another thread continues with the later ones. Only if 256 of them block at the same time do
/// later tasks of the recorder wait.
///
/// A stream is named by its name, or by its ARN, which may be that of another account for Kinesis. A region other than the
/// configured one faults the save. Firehose takes only names: there the stream of that name in the credentials' own account
/// is used. A recorder keeps records for a name and records for an ARN apart, so their order is not preserved across both.
///
/// Records are stored unencrypted in a file that only this user can read.
public class AWSAbstractKinesisRecorder: NSObject, @unchecked Sendable {
    // Safe because all state is in the pipeline, which is thread-safe.

    package let pipeline: RecordPipeline
    private let callers: ServiceCallers
    let errors: RecorderErrors
    private let faults = SaveFaultLog()
    let sender: NotificationSender

    init(_ identity: RecorderIdentity, configuration: AWSServiceConfiguration?, policy: RecorderPolicy = .legacy) {
        let sender = NotificationSender(identity)
        self.sender = sender
        let callers = ServiceCallers(
            identity.service.service,
            section: identity.infoSection,
            configuration: configuration,
            userAgentToken: "recorder"
        )
        self.callers = callers
        errors = RecorderErrors(identity)
        pipeline = RecordPipeline(
            identity.service,
            store: RecordStore(at: identity.location),
            policy: policy,
            caller: callers.caller,
            region: callers.region,
            keeping: { sender.recorder },
            emit: { event in sender.post(event) }
        )
        super.init()
        sender.recorder = self
    }

    /// The directory of the recorders' files. Nil by default: the environment decides.
    ///
    /// Set it before the first save. If it is nil, the directory is `AWS_KINESIS_RECORDER_DIR`, otherwise one named after
    /// the program in `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or `~/.local/state`. It is created with permissions for this
    /// user only.
    public static var storeDirectory: URL? {
        get { RecorderIdentity.directory.withLock { $0 } }
        set { RecorderIdentity.directory.withLock { $0 = newValue } }
    }

    /// The recorder's own copy of the configuration it was registered with. For a recorder that was created without one: the
    /// configuration that its first submit would use now; nil if there is none.
    ///
    /// Changes after the first submit have no effect.
    public var configuration: AWSServiceConfiguration! { try? callers.configuration() }

    // MARK: limits

    /// The size of the stored records in bytes: payload, partition key and 64 bytes per record; 0 if there are none.
    ///
    /// Includes a record as soon as its save's task completes. Reads the disk; 0 if the store cannot be read. Unlike in the
    /// AWS SDK, this is not the size of the file.
    public var diskBytesUsed: UInt {
        do {
            return UInt(clamping: try pipeline.totals().bytes)
        } catch {
            RecorderLog.warning("diskBytesUsed: \(error.message)")
            return 0
        }
    }

    /// The stored bytes above which each save posts a notification; 0, the default, posts none.
    public var notificationByteThreshold: UInt {
        get { UInt(clamping: pipeline.policy.limits.notificationThreshold) }
        set { pipeline.configure { $0.limits.notificationThreshold = Int(clamping: newValue) } }
    }

    /// Whether only the save that crosses `notificationByteThreshold` posts a notification, instead of each save above it.
    /// False by default, as in the AWS SDK.
    public var notifiesOnCrossingOnly: Bool {
        get { pipeline.policy.limits.reportsCrossingOnly }
        set { pipeline.configure { $0.limits.reportsCrossingOnly = newValue } }
    }

    /// The maximum size of the stored records in bytes; 0 for no limit. 5 MiB by default, 1 GiB for a recorder with
    /// ``AWSRecorderLimits``.
    ///
    /// Above it the oldest records of the stream that takes the most are discarded; `AWSRecorderDidDiscardRecords` reports each
    /// discard. A change applies from the next save on.
    public var diskByteLimit: UInt {
        get { UInt(clamping: pipeline.policy.limits.bytes) }
        set { pipeline.configure { $0.limits.bytes = Int(clamping: newValue) } }
    }

    /// The age in seconds at which records are discarded; 0, the default, for no limit.
    ///
    /// Checked by each save, and at the start of a submit. `AWSRecorderDidDiscardRecords` reports each discard.
    public var diskAgeLimit: TimeInterval {
        get { pipeline.policy.limits.age / .seconds(1) }
        set {
            pipeline.configure { $0.limits.age = .seconds(newValue.isNaN ? 0 : min(max(newValue, 0), Self.longestAge)) }
        }
    }

    /// The maximum size in memory of saves that are not on disk yet, in bytes: 64 MiB by default.
    ///
    /// Above it `saveRecord` blocks its caller until there is room, to slow down a program that saves faster than the disk
    /// can write. After ten seconds without room the save faults; that happens only if the disk, or another process that
    /// holds the store's lock, is stuck. A single record is always accepted.
    public var saveQueueByteLimit: UInt {
        get { UInt(clamping: pipeline.policy.saveQueueBytes) }
        set { pipeline.configure { $0.saveQueueBytes = Int(clamping: newValue) } }
    }

    /// The maximum size of a record in bytes: 262,144 by default, as in the AWS SDK; 1,024,000 for a recorder with
    /// ``AWSRecorderLimits``. At most what the service accepts: 10 MiB
    /// for Kinesis, with the partition key, and 1,000 KiB for Firehose.
    ///
    /// A larger record faults its save's task with `.dataTooLarge`. A Kinesis stream accepts 1 MiB unless its own maximum was
    /// raised. A record that it does not accept is discarded and reported by `AWSRecorderDidDiscardRecords`, with both sizes;
    /// the other records are delivered. Raise `diskByteLimit` too: a record that exceeds it is discarded.
    public var maximumRecordBytes: UInt {
        get { UInt(clamping: pipeline.policy.maximumRecordBytes) }
        set {
            pipeline.configure {
                $0.maximumRecordBytes = min(Int(clamping: newValue), pipeline.service.maximumRecordBytes)
            }
        }
    }

    /// The maximum size of one request, in bytes of payload and partition keys: 512 KiB by default, 4 MiB for a recorder with
    /// ``AWSRecorderLimits``. At most what the service accepts: 10 MiB for Kinesis, 4 MiB for Firehose.
    ///
    /// A request always contains at least one record.
    public var batchRecordsByteLimit: UInt {
        get { UInt(clamping: pipeline.policy.batchByteLimit) }
        set {
            pipeline.configure {
                $0.batchByteLimit = min(Int(clamping: newValue), pipeline.service.maximumRequestBytes)
            }
        }
    }

    /// The number of concurrent requests per stream; 1 by default, which preserves the order of records.
    ///
    /// A larger number drains a long backlog faster on a slow network, but records of different requests may arrive out of
    /// order. `AWSKinesisRecorder.keepsOrder` keeps that of each partition key.
    public var maxConcurrentRequests: UInt {
        get { UInt(clamping: pipeline.policy.requestsPerStream) }
        set { pipeline.configure { $0.requestsPerStream = max(Int(clamping: newValue), 1) } }
    }

    /// The number of streams that a submit sends to at the same time; 4 by default.
    public var maxConcurrentStreams: UInt {
        get { UInt(clamping: pipeline.policy.parallelStreams) }
        set { pipeline.configure { $0.parallelStreams = max(Int(clamping: newValue), 1) } }
    }

    /// Whether requests are compressed with gzip; false by default. The AWS SDK always compresses from 2.6.32 on.
    public var compressesRequests: Bool {
        get { pipeline.policy.compressesRequests }
        set { pipeline.configure { $0.compressesRequests = newValue } }
    }

    /// The most bytes of request bodies in a second, on average and for all streams together; 0, the default, for no limit.
    ///
    /// For metered and slow links. Requests become as small as what is sent in half a second, but not below 16 KiB; the first one
    /// of a submit may be sent at once. The headers of a request, about 1 KB, are not counted.
    public var maximumBytesPerSecond: UInt {
        get { UInt(clamping: pipeline.policy.maximumBytesPerSecond ?? 0) }
        set { pipeline.configure { $0.maximumBytesPerSecond = newValue == 0 ? nil : Int(clamping: newValue) } }
    }

    private static let longestAge: TimeInterval = 100 * 365 * 24 * 60 * 60

    /// The number of failures after which a record is discarded and reported; 0, the default, for no limit.
    ///
    /// 4 is the AWS SDK's rule: discarded after the fourth failure. Failures to reach the service never count.
    public var maximumFailures: UInt {
        get { UInt(clamping: pipeline.policy.discardsAfterFailures ?? 0) }
        set { pipeline.configure { $0.discardsAfterFailures = newValue == 0 ? nil : Int(clamping: newValue) } }
    }

    /// Whether the store keeps a copy of each record that the service does not accept; false by default.
    ///
    /// Copied are records that leave because the service calls them invalid, or because they reached `maximumFailures`: their
    /// stream, partition key and data, when they were saved and rejected, and the service's code and message. They are discarded
    /// and reported as without copies. `kinesis-recorder rejected` shows the copies, exports them, puts them back, or removes them;
    /// `removeAllRecords()` does not.
    ///
    /// There are at most 1,000 copies in a store, with 4 MiB of data and keys; the oldest ones go first, and a larger record is not
    /// copied. On a full disk none are made. They count neither in `diskBytesUsed` and `diskByteLimit` nor in `statistics`. A
    /// change applies from the next submit on.
    public var keepsRejected: Bool {
        get { pipeline.policy.keepsRejected }
        set { pipeline.configure { $0.keepsRejected = newValue } }
    }

    // MARK: save

    /// Saves a record on disk, with a partition key of its own, a UUID.
    ///
    /// - Parameters:
    ///   - data: At most `maximumRecordBytes`, by default 262,144 bytes. A larger record faults the task with `.dataTooLarge` at
    ///     once.
    ///   - streamName: Letters, digits, `_`, `.` and `-`; up to 128 characters, 64 for Firehose. Or the stream's ARN.
    /// - Returns: A task that succeeds with nil once the record is durable.
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!) -> AWSTask<AnyObject>! {
        save(data, stream: streamName, partitionKey: nil)
    }

    /// Saves a record on disk, with the partition key that decides its shard (Kinesis only).
    ///
    /// - Parameters:
    ///   - data: At most `maximumRecordBytes`, by default 262,144 bytes. A larger record faults the task with `.dataTooLarge` at
    ///     once.
    ///   - streamName: Letters, digits, `_`, `.` and `-`; up to 128 characters, 64 for Firehose. Or the stream's ARN.
    ///   - partitionKey: 1 to 256 characters.
    /// - Returns: A task that succeeds with nil once the record is durable.
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!, partitionKey: String!) -> AWSTask<AnyObject>! {
        // Nil is an error here, not a request for a key of its own.
        save(data, stream: streamName, partitionKey: partitionKey ?? "")
    }

    /// Saves many records on disk with one call, which costs a fraction of as many calls. Not part of the original.
    ///
    /// They keep their order, each with a partition key of its own. If one is invalid, none is saved. After another error the
    /// records that are saved are the first ones, and the error's description says how many. `diskByteLimit` discards the
    /// oldest, and a notification is posted, once for every few thousand of them rather than for each.
    ///
    /// - Parameters:
    ///   - records: The payloads, at most `maximumRecordBytes` each. A larger one faults the task with `.dataTooLarge` at once.
    ///   - streamName: Letters, digits, `_`, `.` and `-`; up to 128 characters, 64 for Firehose. Or the stream's ARN.
    /// - Returns: A task that succeeds with nil once all records are durable.
    @discardableResult
    public func saveRecords(_ records: [Data], streamName: String) -> AWSTask<AnyObject> {
        let source = AWSTaskCompletionSource<AnyObject>()
        let count = records.count
        // Kept until then, as the sender of notifications.
        pipeline.save(contentsOf: records, stream: streamName, partitionKey: nil) { [self, errors, faults] result in
            defer { withExtendedLifetime(self) {} }
            if case .failure(let error) = result { faults.log(error, records: count, stream: streamName) }
            source.complete(result.mapError { errors.error($0) })
        }
        return source.task
    }

    private func save(_ data: Data?, stream: String?, partitionKey: String?) -> AWSTask<AnyObject> {
        let source = AWSTaskCompletionSource<AnyObject>()
        // Kept until then, as the sender of notifications.
        pipeline.save(data, stream: stream, partitionKey: partitionKey) { [self, errors, faults] result in
            defer { withExtendedLifetime(self) {} }
            if case .failure(let error) = result { faults.log(error, stream: stream) }
            source.complete(result.mapError { errors.error($0) })
        }
        return source.task
    }

    // MARK: submit

    /// Sends all records that were saved before this call.
    ///
    /// Records that the service accepts are removed. Those that it rejects as invalid are removed too, and reported by
    /// `AWSRecorderDidDiscardRecords`. All others stay for the next submit. Calls during a submit share the next one.
    ///
    /// This returns before they are sent. Asynchronous code calls ``submit()`` instead: `try await recorder.submitAllRecords()`
    /// waits for nothing, and the compiler warns that no asynchronous operation occurs there.
    ///
    /// - Returns: A task that succeeds with nil, or faults with the first stream's error once every stream was tried.
    @discardableResult
    public func submitAllRecords() -> AWSTask<AnyObject>! {
        submitAllRecords(cancellationToken: nil)
    }

    /// The same, with a token that cancels the task at once.
    ///
    /// The submit stops unless another call waits for it: its requests are aborted, and their records stay without a
    /// failure being counted. The service may have accepted them before, so they may arrive twice.
    ///
    /// - Returns: A task that succeeds with nil, faults with the first stream's error, or is cancelled.
    @discardableResult
    public func submitAllRecords(cancellationToken: AWSCancellationToken?) -> AWSTask<AnyObject>! {
        let source = AWSTaskCompletionSource<AnyObject>()
        let start = ContinuousClock.now
        do {
            try checkOptions()
        } catch {
            RecorderLog.warning("Nothing is submitted: \(error.message)")
            let error = errors.error(error)
            source.set(error: error)
            reportMetrics(of: nil, .failure(error), since: start)
            return source.task
        }
        let ticket = pipeline.flush { [self, errors] result in
            // After the task, which a listener of the log may wait for.
            defer { sender.logDiscards() }
            let outcome: Result<Void, NSError>
            switch result {
            case .success(let report): outcome = errors.result(of: report)
            case .failure(.cancelled): return source.cancel()
            case .failure(let error): outcome = .failure(errors.error(error))
            }
            source.complete(outcome)
            reportMetrics(of: try? result.get(), outcome, since: start)
        }
        let registration = cancellationToken?.registerCancellationObserver { [pipeline] in pipeline.withdraw(ticket) }
        if let registration { source.task.continueWith { _ in registration.dispose() } }
        return source.task
    }

    /// Throws if the options contradict each other, so that nothing can be submitted.
    func checkOptions() throws(RecorderError) {}

    /// Removes all records that were saved before this call, without sending them. Those in a request that is under way count as
    /// delivered if the service accepts them, and otherwise as removed.
    ///
    /// - Returns: A task that succeeds with nil.
    @discardableResult
    public func removeAllRecords() -> AWSTask<AnyObject>! {
        let source = AWSTaskCompletionSource<AnyObject>()
        pipeline.clear { [errors] result in
            source.complete(result.map { _ in }.mapError { errors.error($0) })
        }
        return source.task
    }

    /// Called with a submit's progress after each batch, on a background thread; nil by default.
    ///
    /// Calls do not overlap: while the handler runs, only the newest progress waits for it.
    public var submitProgressHandler: (@Sendable (AWSSubmitProgress) -> Void)? {
        get { sender.progressHandler }
        set { sender.progressHandler = newValue }
    }

    // MARK: import

    /// Imports the records from a database of the AWS SDK's recorders, or of an Amplify streaming client.
    ///
    /// Each record is imported once, however often this is called: at the end the file is renamed to `….imported`, or to
    /// `….imported-2` and so on if that file exists. No other program may have it open.
    ///
    /// - Parameter path: The database. The AWS SDK stored it as `com/amazonaws/AWSKinesisRecorder/<name>` in the temporary
    ///   directory.
    /// - Returns: A task whose result is the number of imported records, an `NSNumber`.
    @discardableResult
    public func importRecords(fromFileAtPath path: String) -> AWSTask<AnyObject> {
        let source = AWSTaskCompletionSource<AnyObject>()
        pipeline.importRecords(from: path) { [errors] result in
            switch result {
            case .success(let done):
                if done.skipped > 0 {
                    RecorderLog.warning(
                        "\(done.skipped) records of \(path) were not imported: their stream names are invalid."
                    )
                }
                source.set(result: NSNumber(value: done.imported))
            case .failure(let error): source.set(error: errors.error(error))
            }
        }
        return source.task
    }
}

extension AWSTaskCompletionSource where ResultType == AnyObject {
    fileprivate func complete(_ result: Result<Void, NSError>) {
        switch result {
        case .success: set(result: nil)
        case .failure(let error): set(error: error)
        }
    }
}
