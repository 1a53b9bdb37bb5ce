// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: singletons, helper functions, wrappers.
import AWSKinesis

/// The usual singleton around the default recorder.
public class AnalyticsManager {
    public static let sharedInstance = AnalyticsManager()

    let kinesisRecorder: AWSKinesisRecorder

    private init() {
        let credentialsProvider = AWSStaticCredentialsProvider(accessKey: "AKIAEXAMPLE", secretKey: "secret")
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: credentialsProvider)
        AWSServiceManager.default().defaultServiceConfiguration = configuration
        kinesisRecorder = AWSKinesisRecorder.default()
        kinesisRecorder.diskByteLimit = UInt(10 * 1024 * 1024)
        kinesisRecorder.diskAgeLimit = TimeInterval(30 * 24 * 60 * 60)
    }

    /// A helper function that returns the recorder's task.
    @discardableResult
    public func track(_ name: String, properties: [String: Any] = [:], stream: String) -> AWSTask<AnyObject> {
        var event = properties
        event["name"] = name
        guard let data = try? JSONSerialization.data(withJSONObject: event, options: .sortedKeys) else {
            return AWSTask(error: NSError(domain: "Analytics", code: 1, userInfo: nil))
        }
        return kinesisRecorder.saveRecord(data, streamName: stream)
    }

    /// A wrapper with a completion handler.
    public func flush(completion: ((Error?) -> Void)? = nil) {
        kinesisRecorder.submitAllRecords()?.continueWith { task in
            completion?(task.error)
            return nil
        }
    }

    /// The task of a group: returned as an optional, as `submitAllRecords()` itself is.
    public func trackAll(_ names: [String], stream: String) -> AWSTask<AnyObject>? {
        let tasks = names.map { track($0, stream: stream) }
        return AWSTask<AnyObject>(forCompletionOfAllTasks: tasks).continueOnSuccessWith { _ in
            return self.kinesisRecorder.submitAllRecords()
        }
    }
}

/// An extension on the recorder with conveniences of one's own.
extension AWSKinesisRecorder {
    public func save<T: Encodable>(_ value: T, to stream: String) -> AWSTask<AnyObject> {
        do {
            return saveRecord(try JSONEncoder().encode(value), streamName: stream)
        } catch {
            return AWSTask(error: error)
        }
    }

    public func saveAndSubmit(_ text: String, to stream: String, completion: @escaping (Result<Void, Error>) -> Void) {
        self.saveRecord(text.data(using: .utf8), streamName: stream).continueOnSuccessWith(block: { _ -> AWSTask<AnyObject>? in
            return self.submitAllRecords()
        }).continueWith(block: { task -> Any? in
            if let error = task.error {
                completion(.failure(error))
            } else {
                completion(.success(()))
            }
            return nil
        })
    }
}

/// An extension on both recorders' base class.
extension AWSAbstractKinesisRecorder {
    public var megabytesUsed: Double { return Double(diskBytesUsed) / 1_048_576 }
}

/// An event that is saved as JSON.
public struct Click: Encodable {
    public let page: String

    public init(page: String) {
        self.page = page
    }
}

/// A loop that saves in batches, and submits after each one.
public final class BatchUploader {
    private let firehose: AWSFirehoseRecorder
    private let stream: String
    public private(set) var submits = 0

    public init(stream: String) {
        self.stream = stream
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)
        AWSFirehoseRecorder.register(with: configuration!, forKey: "batches")
        firehose = AWSFirehoseRecorder(forKey: "batches")
        firehose.batchRecordsByteLimit = 1024 * 1024
    }

    public func upload(_ lines: [String], batchSize: Int, completion: @escaping (NSError?) -> Void) {
        guard !lines.isEmpty else { return completion(nil) }
        let batch = lines.prefix(batchSize)
        let tasks = batch.compactMap { firehose.saveRecord("\($0)\n".data(using: .utf8), streamName: stream) }
        AWSTask(forCompletionOfAllTasks: tasks).continueOnSuccessWith { _ in
            self.firehose.submitAllRecords()
        }.continueWith { task in
            if let error = task.error as NSError? {
                completion(error)
                return nil
            }
            self.submits += 1
            self.upload(Array(lines.dropFirst(batchSize)), batchSize: batchSize, completion: completion)
            return nil
        }
    }
}

/// Records saved while a submit runs, each with a partition key, in a dispatch group.
public final class KeyedUploader {
    let recorder = AWSKinesisRecorder.default()

    public init() {}

    public func upload(_ events: [String: String], stream: String, completion: @escaping (Int) -> Void) {
        let group = DispatchGroup()
        var saved = 0
        let lock = NSLock()
        for (key, text) in events {
            group.enter()
            recorder?.saveRecord(text.data(using: .utf8), streamName: stream, partitionKey: key).continueWith { task in
                if task.error == nil {
                    lock.lock()
                    saved += 1
                    lock.unlock()
                }
                group.leave()
                return nil
            }
        }
        group.notify(queue: .global()) {
            self.recorder?.submitAllRecords().continueWith { _ in
                completion(saved)
                return nil
            }
        }
    }
}
