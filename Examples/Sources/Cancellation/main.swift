// Cancelling tasks: a token cancels what has not started. Saved records stay stored.
//
//     Cancellation STREAM

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

let streamName = CommandLine.arguments[1]
let kinesisRecorder = AWSKinesisRecorder.default()!
let source = AWSCancellationTokenSource()

_ = try await kinesisRecorder.saveRecord(Data("kept".utf8), streamName: streamName, partitionKey: "k").value

// A delayed submit. The token is checked when the delay ends.
let later = AWSTask<AnyObject>(delay: 1_000, cancellationToken: source.token)
let submit = later.continueOnSuccessWith(block: { _ in kinesisRecorder.submitAllRecords() })

let registration = source.token.registerCancellationObserver { print("observer: cancelled") }
source.cancel()
_ = try? await submit.value
registration.dispose()
print("the delay was cancelled: \(later.isCancelled), and so was the chain: \(submit.isCancelled)")

// A cancelled submit ends at once.
let stopped: AWSTask<AnyObject> = kinesisRecorder.submitAllRecords(cancellationToken: source.token)
_ = try? await stopped.value
print("the submit was cancelled: \(stopped.isCancelled); the record is stored: \(kinesisRecorder.statistics!.stored)")

// A continuation with a cancelled token never runs.
let skipped = AWSTask<AnyObject>(result: nil).continueWith(
    executor: .immediate(),
    block: { _ in
        print("never printed")
        return nil
    },
    cancellationToken: source.token
)
print("the continuation was cancelled: \(skipped.isCancelled)")

// A submit without the token delivers the record.
_ = try await kinesisRecorder.submitAllRecords().value
print("the record is stored: \(kinesisRecorder.statistics!.stored)")
