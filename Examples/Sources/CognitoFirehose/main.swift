// Code from an iOS application, written in Swift 3: guests of a Cognito identity pool send records to Firehose.
//
//     CognitoFirehose POOL STREAM
//
// No credentials are in the program or its environment: Cognito issues temporary ones.

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSCognito
import AWSCore
import AWSKinesis
import Dispatch
import Foundation

let poolID = CommandLine.arguments[1]
let streamName = CommandLine.arguments[2]
let finished = DispatchSemaphore(value: 0)

func configureAWSCognito() -> AWSCognitoCredentialsProvider {
    let credentialsProvider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: poolID)
    let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: credentialsProvider)
    AWSServiceManager.default().defaultServiceConfiguration = configuration
    return credentialsProvider
}

func record(data: [Data]) {
    guard let firehoseRecorder = AWSFirehoseRecorder.default() else { return }
    let tasks = data.map { firehoseRecorder.saveRecord($0, streamName: streamName)! }
    let task = AWSTask(forCompletionOfAllTasks: tasks).continueOnSuccessWith(block: { _ in
        firehoseRecorder.submitAllRecords()
    })
    task.continueWith(block: { (task: AWSTask<AnyObject>) in
        switch task.error {
        case .some(let error): print("Error: \(error.localizedDescription)")
        case .none: print("FirehoseRecorded; \(firehoseRecorder.diskBytesUsed) bytes left on disk")
        }
        finished.signal()
        return nil
    })
}

configureAWSCognito().getIdentityId().continueWith(block: { (task: AWSTask<NSString>) in
    // An identity ID is the region, a colon and a UUID.
    print("a guest of the pool:", task.result?.hasPrefix("us-east-1:") == true)
    record(data: ["one\n", "two\n", "three\n"].map { Data($0.utf8) })
    return nil
})
finished.wait()
