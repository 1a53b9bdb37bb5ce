// swift-format-ignore-file
// Written after programs of Swift 2 and SDK 2.3, as Xcode converted them: the SDK's names are still the old ones.
import AWSCore
import AWSKinesis

/// A logging class around the recorder, in the names of SDK 2.3.
public class SwiftTwoLogger {
    let recorder = AWSKinesisRecorder.defaultKinesisRecorder()
    public var failures: [NSError] = []

    public init() {}

    public class func setUp(accessKey: String, secretKey: String) {
        let provider = AWSStaticCredentialsProvider(accessKey: accessKey, secretKey: secretKey)
        let configuration = AWSServiceConfiguration(region: AWSRegionType.USEast1, credentialsProvider: provider)
        AWSServiceManager.defaultServiceManager().defaultServiceConfiguration = configuration
        AWSLogger.defaultLogger().logLevel = .None
    }

    public func save(_ text: String, stream: String) -> AWSTask<AnyObject>! {
        let data = (text as NSString).data(using: String.Encoding.utf8.rawValue)
        return recorder!.saveRecord(data, streamName: stream)
    }

    /// Blocks that return `AnyObject!`, one after the other.
    public func saveAndSubmit(_ texts: [String], stream: String, completion: @escaping (Bool) -> Void) {
        var tasks: [AWSTask<AnyObject>] = []
        for text in texts {
            tasks.append(self.save(text, stream: stream))
        }
        AWSTask(forCompletionOfAllTasks: tasks).continueWithSuccessBlock { (task: AWSTask!) -> AnyObject! in
            return self.recorder!.submitAllRecords()
        }.continueWithBlock { (task: AWSTask!) -> AnyObject! in
            if let error = task.error {
                self.failures.append(error as NSError)
            }
            completion(task.completed && !task.faulted && !task.cancelled)
            return nil
        }
    }

    /// Executors by their older names.
    public func submitInBackground(completion: @escaping (UInt) -> Void) {
        let queue = DispatchQueue.global(qos: .background)
        recorder!.submitAllRecords().continueWithExecutor(AWSExecutor(dispatchQueue: queue), withBlock: { (task: AWSTask!) -> AnyObject! in
            return task
        }).continueWithExecutor(AWSExecutor.mainThreadExecutor(), withBlock: { task -> AnyObject! in
            completion(self.recorder!.diskBytesUsed)
            return nil
        })
    }
}

/// A client registered under a key, and the recorder beside it, both by the class methods of SDK 2.3.
public class SwiftTwoRegistry {
    public static func register(_ configuration: AWSServiceConfiguration) -> AWSKinesisRecorder! {
        AWSKinesisRecorder.registerKinesisRecorderWithConfiguration(configuration, forKey: "swift2")
        return AWSKinesisRecorder(forKey: "swift2")
    }

    public static func unregister() -> AWSKinesisRecorder! {
        AWSKinesisRecorder.removeKinesisRecorderForKey("swift2")
        return AWSKinesisRecorder(forKey: "swift2")
    }
}

/// A completion source by its older names, for work that a delegate ends.
public class SwiftTwoDownload {
    let source = AWSTaskCompletionSource<AnyObject>.taskCompletionSource()

    public init() {}

    public func start() -> AWSTask<AnyObject> {
        return source.task
    }

    public func didFinish(_ text: String) -> Bool {
        return source.trySetResult(text as NSString)
    }

    public func didFail(_ error: NSError) -> Bool {
        return source.trySetError(error)
    }
}

/// A cancellation token by its older names.
public class SwiftTwoCancellation {
    public var observed = 0

    public init() {}

    public func run(completion: @escaping (Bool) -> Void) {
        let source = AWSCancellationTokenSource()
        source.token.registerCancellationObserverWithBlock { self.observed += 1 }
        let work = AWSTaskCompletionSource<AnyObject>()
        work.task.continueWithBlock({ (task: AWSTask!) -> AnyObject! in
            return "ran" as NSString
        }, cancellationToken: source.token).continueWithBlock { (task: AWSTask!) -> AnyObject! in
            completion(task.cancelled && source.cancellationRequested)
            return nil
        }
        source.cancel()
        work.setResult("late" as NSString)
    }
}
