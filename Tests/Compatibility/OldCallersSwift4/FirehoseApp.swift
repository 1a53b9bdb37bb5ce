// swift-format-ignore-file
// Written after programs of Swift 3 and SDK 2.4, and left in their style.
import AWSCore
import AWSCognito
import AWSKinesis

/// An application delegate that configures Cognito, and asks for the identity with blocks that return `Any!`.
public class FirehoseApp {
    public var cognitoId: String?

    public init() {}

    public func configure(poolId: String, completion: @escaping (String?) -> Void) {
        let credentialsProvider = AWSCognitoCredentialsProvider(regionType: .usEast1, identityPoolId: poolId)
        let configuration = AWSServiceConfiguration(region:.usEast1, credentialsProvider:credentialsProvider)
        AWSFirehoseRecorder.register(with: configuration, forKey: "FirehoseName")
        AWSServiceManager.default().defaultServiceConfiguration = configuration

        credentialsProvider.getIdentityId().continue({ (task: AWSTask!) -> Any! in
            if (task.error != nil) {
                print("Error: " + task.error!.localizedDescription)
            }
            else {
                self.cognitoId = task.result as? String
            }
            completion(self.cognitoId)
            return nil
        })
    }

    public func record(lines: [String], stream: String, completion: @escaping (Error?) -> Void) {
        guard let firehoseRecorder = AWSFirehoseRecorder.default() else { return }

        let tasks: [AWSTask] = lines.map { firehoseRecorder.saveRecord($0.data(using: .utf8)!, streamName: stream) }

        let task = AWSTask(forCompletionOfAllTasks: tasks).continue(successBlock: { (task: AWSTask<AnyObject>) in

            return firehoseRecorder.submitAllRecords()
        })

        task.continue({ [weak self] (task: AWSTask<AnyObject>) in
            switch task.error {
            case let .some(error):
                print("Error: \(error) \(self?.cognitoId ?? "")")
            case .none:
                print("FirehoseRecorded")
            }
            completion(task.error)
            return nil
        })
    }

    public func recordByKey(line: String, stream: String, completion: @escaping (Error?) -> Void) {
        let recorder = AWSFirehoseRecorder(forKey: "FirehoseName")
        recorder?.saveRecord(line.data(using: String.Encoding.utf8), streamName: stream).continue({ (task: AWSTask!) -> AWSTask<AnyObject>! in
            return recorder?.submitAllRecords()
        }).continue(with: AWSExecutor.default(), with: { (task: AWSTask!) -> Any! in
            completion(task.error)
            return nil
        })
    }
}

/// A view controller that starts a submit from a timer, and counts with the older executors.
public class TimerUploader: NSObject {
    let recorder: AWSKinesisRecorder
    public var uploads = 0

    public init(configuration: AWSServiceConfiguration) {
        AWSKinesisRecorder.register(with: configuration, forKey: "timer")
        recorder = AWSKinesisRecorder(forKey: "timer")
        recorder.diskByteLimit = UInt(10 * 1024 * 1024)
        recorder.diskAgeLimit = TimeInterval(30 * 24 * 60 * 60)
        super.init()
    }

    public func log(_ event: [String: Any], stream: String) -> AWSTask<AnyObject>! {
        let json = try! JSONSerialization.data(withJSONObject: event, options: [])
        return recorder.saveRecord(json, streamName: stream)
    }

    public func timerFired(completion: @escaping (UInt) -> Void) {
        recorder.submitAllRecords().continue(with: AWSExecutor.mainThread(), successBlock: { (task: AWSTask!) -> Any! in
            self.uploads += 1
            return nil
        }, cancellationToken: nil).continue(with: AWSExecutor.mainThread(), with: { (task: AWSTask!) -> Any! in
            completion(self.recorder.diskBytesUsed)
            return nil
        })
    }
}
