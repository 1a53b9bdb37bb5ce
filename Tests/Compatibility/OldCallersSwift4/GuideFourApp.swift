// swift-format-ignore-file
// Written after programs of Swift 4 and SDK 2.5 to 2.6.
import AWSCognito
import AWSKinesis

/// The developer guide's chain with `-> Any!`, and a subclass of `NSObject` around it.
public class GuideFourApp: NSObject {
    var kinesisRecorder: AWSKinesisRecorder!

    public func start(stream: String, completion: @escaping (Int, NSError?) -> Void) {
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)
        AWSServiceManager.default().defaultServiceConfiguration = configuration
        kinesisRecorder = AWSKinesisRecorder.default()
        kinesisRecorder.notificationByteThreshold = UInt(5 * 1024 * 1024)

        var tasks = Array<AWSTask<AnyObject>>()
        for i in 0..<10 {
            tasks.append(kinesisRecorder.saveRecord(String(format: "TestString-%02d", i).data(using: .utf8), streamName: stream)!)
        }
        AWSTask(forCompletionOfAllTasks: tasks).continueOnSuccessWith(block: { (task: AWSTask!) -> AWSTask<AnyObject>! in
            return self.kinesisRecorder.submitAllRecords()
        }).continueWith(block: { (task: AWSTask!) -> Any! in
            completion(tasks.count, task.error as NSError?)
            return nil
        })
    }
}

/// Tasks collected in an `NSMutableArray`, as in a translation from Objective-C.
public class ArrayCollector {
    let tasks = NSMutableArray()

    public init() {}

    public func add(_ recorder: AWSKinesisRecorder, _ text: String, stream: String) {
        tasks.add(recorder.saveRecord(text.data(using: .utf8), streamName: stream))
    }

    public func finish(_ recorder: AWSKinesisRecorder, completion: @escaping (Bool) -> Void) {
        AWSTask(forCompletionOfAllTasks: tasks as? [AWSTask<AnyObject>]).continueOnSuccessWith(block: { (task: AWSTask!) -> Any! in
            return recorder.submitAllRecords()
        }).continueWith(block: { (task: AWSTask!) -> Any! in
            completion(task.error == nil)
            return nil
        })
    }
}

/// Logins from a dictionary of `NSString`.
public class FourTokens: NSObject, AWSIdentityProviderManager {
    var tokens: [NSString: NSString]?

    public init(tokens: [NSString: NSString]) {
        self.tokens = tokens
    }

    public func logins() -> AWSTask<NSDictionary> {
        return AWSTask(result: tokens! as NSDictionary)
    }
}

/// A credentials provider of one's own, as SDK 2.3 and later asked for.
public class FourKeys: NSObject, AWSCredentialsProvider {
    public var invalidations = 0
    let accessKey: String
    let secretKey: String

    public init(accessKey: String, secretKey: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
    }

    public func credentials() -> AWSTask<AWSCredentials> {
        let credentials = AWSCredentials(accessKey: accessKey, secretKey: secretKey, sessionKey: nil, expiration: nil)
        return AWSTask(result: credentials)
    }

    public func invalidateCachedTemporaryCredentials() {
        invalidations += 1
    }
}
