// swift-format-ignore-file
// Published code, unchanged.
import AWSCore
import AWSCognito
import AWSKinesis

// The Swift 3 code of a published article on Firehose with Cognito, unchanged, and the Swift 2 code that it started from.
// Its application delegate needs language mode 4: DocSnippetsSwift4 has it.

final class ArticleSnippets {
    static func configureAWSCognito() -> AWSServiceConfiguration? {
        // Settings for AWSCognito
        let credentialsProvider = AWSCognitoCredentialsProvider(regionType: .usEast1, identityPoolId: "us-east-1:00000000-xxxx-0000-0000-xxxxxxxxxxxx")
        let configuration = AWSServiceConfiguration(region:.usEast1, credentialsProvider:credentialsProvider)

        return configuration
    }

    func record(data: [Data]) {
        guard  let firehoseRecorder = AWSFirehoseRecorder.default() else { return }

        let tasks: [AWSTask] = data.map { firehoseRecorder.saveRecord($0, streamName: "FirehoseName") }

        let task = AWSTask(forCompletionOfAllTasks: tasks).continue(successBlock: { (task: AWSTask<AnyObject>) in

            return firehoseRecorder.submitAllRecords()
        })

        task.continue({ [weak self] (task: AWSTask<AnyObject>) in
            switch task.error {
            case let .some(error):
                print("Error: \(error)")
            case .none:
                print("FirehoseRecorded")
            }

            return nil
        })
    }

    static func swift2(tasks: [AWSTask<AnyObject>], recorder: AWSFirehoseRecorder) {
        AWSTask(forCompletionOfAllTasks: tasks).continueWithSuccessBlock { task -> AnyObject? in
            recorder.submitAllRecords()
        }.continueWithBlock { task -> AnyObject? in
            if let err = task.error {
                // The article's NSLog("Error: [%@]", err) does not compile on Linux, where an Error is no CVarArg.
                NSLog("Error: [\(err)]")
            }
            return nil
        }
    }
}
