public import Foundation
import RecorderAWS
import RecorderConcurrency
package import RecorderEngine

/// What `AWSKinesisRecorder` and `AWSFirehoseRecorder` have in common: records are saved on disk now and sent later.
///
/// Get one from `AWSKinesisRecorder.default()` or `AWSFirehoseRecorder.default()`, or register one under a key. Every
/// member may be used from any thread. Tasks complete, and notifications are posted, on the recorder's background
/// threads, in the order of the saves and one at a time. Blocks and observers may block, save, submit and wait for each
/// other: one that blocks for more than about 0.1 s keeps its thread, and another thread goes on with the later ones. Only
/// when 256 of them are blocked at the same time do later tasks of the recorder wait until one ends.
///
/// Records lie unencrypted in a file that only this user can read.
public class AWSAbstractKinesisRecorder: NSObject, @unchecked Sendable {
    // Safe because all state is in the pipeline, which guards it.

    package let pipeline: RecordPipeline
    private let errors: RecorderErrors
    private let sender: NotificationSender

    init(_ identity: RecorderIdentity, configuration: AWSServiceConfiguration?) {
        let sender = NotificationSender(identity)
        self.sender = sender
        let callers = ServiceCallers(
            identity.service.service,
            section: identity.infoSection,
            configuration,
            userAgentToken: "recorder"
        )
        errors = RecorderErrors(identity)
        pipeline = RecordPipeline(
            identity.service,
            store: RecordStore(at: identity.location),
            policy: .legacy,
            caller: callers.caller,
            emit: { event in sender.post(event) }
        )
        super.init()
        sender.recorder = self
    }

    /// The directory that recorders keep their files in; nil, the default, leaves the choice to the environment.
    ///
    /// Set it before the first save. Without it: `AWS_KINESIS_RECORDER_DIR`, else a folder named after the program in
    /// `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or `~/.local/state`. The directory is made with rights for this user only.
    public static var storeDirectory: URL? {
        get { RecorderIdentity.directory.withLock { $0 } }
        set { RecorderIdentity.directory.withLock { $0 = newValue } }
    }

    // MARK: limits

    /// What the stored records take, in bytes: payload, partition key and 64 bytes for each; 0 when there are none.
    ///
    /// Counts a record as soon as its save's task completes. Reads the disk; 0 if the store cannot be read.
    /// Unlike the AWS SDK's, this is not the size of a file.
    public var diskBytesUsed: UInt {
        do {
            return UInt(clamping: try pipeline.totals().bytes)
        } catch {
            RecorderLog.warning("diskBytesUsed: \(error.message)")
            return 0
        }
    }

    /// Bytes stored beyond which each save posts a notification; 0, the default, posts none.
    public var notificationByteThreshold: UInt {
        get { UInt(clamping: pipeline.policy.limits.notificationThreshold) }
        set { pipeline.policy.limits.notificationThreshold = Int(clamping: newValue) }
    }

    /// Whether only the save that crosses `notificationByteThreshold` posts, not each one above it; false by default, as
    /// in the AWS SDK.
    public var notifiesOnCrossingOnly: Bool {
        get { pipeline.policy.limits.reportsCrossingOnly }
        set { pipeline.policy.limits.reportsCrossingOnly = newValue }
    }

    /// The most that records may take on disk, in bytes: 5 MiB by default, 0 for no limit.
    ///
    /// The oldest records are discarded beyond it, and each discard is reported by `AWSRecorderDidDiscardRecords`.
    /// Counts from the next save on.
    public var diskByteLimit: UInt {
        get { UInt(clamping: pipeline.policy.limits.bytes) }
        set { pipeline.policy.limits.bytes = Int(clamping: newValue) }
    }

    /// The age in seconds at which records are discarded; 0, the default, keeps them for ever.
    ///
    /// Checked by each save, and before a submit sends. Each discard is reported by `AWSRecorderDidDiscardRecords`.
    public var diskAgeLimit: TimeInterval {
        get { pipeline.policy.limits.age / .seconds(1) }
        set { pipeline.policy.limits.age = .seconds(newValue.isNaN ? 0 : min(max(newValue, 0), Self.longestAge)) }
    }

    /// The most that saves which are not on disk yet may take in memory, in bytes: 64 MiB by default.
    ///
    /// Beyond it `saveRecord` blocks its caller until there is room, so that a program that saves faster than the disk is
    /// slowed down. After ten seconds without room the save faults; that happens only where the disk, or another process
    /// that has the store locked, does not go on. One record always goes.
    public var saveQueueByteLimit: UInt {
        get { UInt(clamping: pipeline.policy.saveQueueBytes) }
        set { pipeline.policy.saveQueueBytes = Int(clamping: newValue) }
    }

    /// The most that one request carries, in bytes of payload and partition keys: 512 KiB by default, 4 MiB at most.
    ///
    /// At least one record always goes.
    public var batchRecordsByteLimit: UInt {
        get { UInt(clamping: pipeline.policy.batchByteLimit) }
        set { pipeline.policy.batchByteLimit = min(Int(clamping: newValue), Self.largestBatch) }
    }

    /// Requests of one stream on their way at the same time; 1 by default, which keeps the order of records.
    ///
    /// More drain a long backlog faster where the network is slow, and let records of different requests overtake.
    public var maxConcurrentRequests: UInt {
        get { UInt(clamping: pipeline.policy.requestsPerStream) }
        set { pipeline.policy.requestsPerStream = max(Int(clamping: newValue), 1) }
    }

    /// Streams that are sent to at the same time; 4 by default.
    public var maxConcurrentStreams: UInt {
        get { UInt(clamping: pipeline.policy.parallelStreams) }
        set { pipeline.policy.parallelStreams = max(Int(clamping: newValue), 1) }
    }

    /// Whether requests are sent gzip-compressed; false by default. The AWS SDK always did from 2.6.32 on.
    public var compressesRequests: Bool {
        get { pipeline.policy.compressesRequests }
        set { pipeline.policy.compressesRequests = newValue }
    }

    private static let longestAge: TimeInterval = 100 * 365 * 24 * 60 * 60
    private static let largestBatch = 4 * 1_024 * 1_024

    /// Failures after which a record is discarded and reported; 0, the default, keeps it for as long as the limits allow.
    ///
    /// 4 gives the AWS SDK's rule: gone after the fourth failure. Failures to reach the service never count.
    public var maximumFailures: UInt {
        get { UInt(clamping: pipeline.policy.discardsAfterFailures ?? 0) }
        set { pipeline.policy.discardsAfterFailures = newValue == 0 ? nil : Int(clamping: newValue) }
    }

    // MARK: save

    /// Saves a record on disk, with a random partition key.
    ///
    /// - Parameters:
    ///   - data: at most 262,144 bytes; a larger record faults the task with `.dataTooLarge` at once.
    ///   - streamName: letters, digits, `_`, `.` and `-`; up to 128 of them, 64 for Firehose.
    /// - Returns: a task that succeeds with nil once the record is durable.
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!) -> AWSTask<AnyObject>! {
        save(data, streamName, partitionKey: nil)
    }

    /// Saves a record on disk, with the partition key that decides its shard (Kinesis only).
    ///
    /// - Parameters:
    ///   - data: at most 262,144 bytes; a larger record faults the task with `.dataTooLarge` at once.
    ///   - streamName: letters, digits, `_`, `.` and `-`; up to 128 of them, 64 for Firehose.
    ///   - partitionKey: 1 to 256 characters.
    /// - Returns: a task that succeeds with nil once the record is durable.
    @discardableResult
    public func saveRecord(_ data: Data!, streamName: String!, partitionKey: String!) -> AWSTask<AnyObject>! {
        // A key that is missing where one was promised is an error, not a wish for a random one.
        save(data, streamName, partitionKey: partitionKey ?? "")
    }

    private func save(_ data: Data?, _ stream: String?, partitionKey: String?) -> AWSTask<AnyObject> {
        let source = AWSTaskCompletionSource<AnyObject>()
        pipeline.save(data, stream: stream, partitionKey: partitionKey) { [errors] result in
            source.complete(result.mapError { errors.error($0) })
        }
        return source.task
    }

    // MARK: submit

    /// Sends every record that was saved before this call.
    ///
    /// Records that the service takes leave the disk; those that it calls invalid do too, and are reported by
    /// `AWSRecorderDidDiscardRecords`. All others stay for the next submit. Calls during a submit share the one after it.
    ///
    /// - Returns: a task that succeeds with nil, or faults with the first stream's error once every stream was tried.
    @discardableResult
    public func submitAllRecords() -> AWSTask<AnyObject>! {
        submitAllRecords(cancellationToken: nil)
    }

    /// The same, until the token is cancelled: then the task ends as cancelled at once.
    ///
    /// A submit that nobody else waits for stops: requests on their way are cut off, and their records stay, with no
    /// failure counted. The service may have taken them all the same, so they may arrive twice.
    ///
    /// - Returns: a task that succeeds with nil, faults with the first stream's error, or is cancelled.
    @discardableResult
    public func submitAllRecords(cancellationToken: AWSCancellationToken?) -> AWSTask<AnyObject>! {
        let source = AWSTaskCompletionSource<AnyObject>()
        let ticket = pipeline.flush { [errors] result in
            switch result {
            case .success(let report): source.complete(errors.result(of: report))
            case .failure(.cancelled): source.cancel()
            case .failure(let error): source.complete(.failure(errors.error(error)))
            }
        }
        let registration = cancellationToken?.registerCancellationObserver { [pipeline] in pipeline.withdraw(ticket) }
        if let registration { source.task.continueWith { _ in registration.dispose() } }
        return source.task
    }

    /// Sends every record that was saved before this call, like `submitAllRecords`; throws the first stream's error.
    ///
    /// When the Swift task that waits is cancelled this throws `CancellationError` at once, and the submit stops unless
    /// another call waits for it; records without an answer stay.
    public nonisolated(nonsending) func submit() async throws {
        let cancellation = AWSCancellationTokenSource()
        try await withTaskCancellationHandler {
            _ = try await submitAllRecords(cancellationToken: cancellation.token).value
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Removes every record that was saved before this call, without sending it.
    ///
    /// - Returns: a task that succeeds with nil.
    @discardableResult
    public func removeAllRecords() -> AWSTask<AnyObject>! {
        let source = AWSTaskCompletionSource<AnyObject>()
        pipeline.clear { [errors] result in
            source.complete(result.map { _ in }.mapError { errors.error($0) })
        }
        return source.task
    }

    /// Told how far a submit has come, after each batch, on a background thread; nil by default.
    ///
    /// Called once at a time: while the handler runs, only the newest progress waits for it.
    public var submitProgressHandler: (@Sendable (AWSSubmitProgress) -> Void)? {
        get { sender.progressHandler }
        set { sender.progressHandler = newValue }
    }

    // MARK: import

    /// Takes over the records of a database of the AWS SDK's recorders, or of an Amplify streaming client.
    ///
    /// Each record is taken once, however often this is called: the file is renamed to `….imported` at the end, or to
    /// `….imported-2` and so on where such a file is. Nothing else may have it open.
    ///
    /// - Parameter path: the database; the AWS SDK kept it as `com/amazonaws/AWSKinesisRecorder/<name>` in the temporary
    ///   directory.
    /// - Returns: a task whose result is the number of records taken, an `NSNumber`.
    @discardableResult
    public func importRecords(fromFileAtPath path: String) -> AWSTask<AnyObject> {
        let source = AWSTaskCompletionSource<AnyObject>()
        pipeline.importRecords(from: path) { [errors] result in
            switch result {
            case .success(let done):
                if done.skipped > 0 {
                    RecorderLog.warning(
                        "\(done.skipped) records of \(path) were not imported: no stream has such a name."
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
