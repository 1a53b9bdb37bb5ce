// Tasks that are no longer wanted: a token cancels what has not begun, and leaves what was saved where it is.
//
//     Cancellation STREAM

// What cannot be nil here is unwrapped, as the originals' users do.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

let streamName = CommandLine.arguments[1]
let kinesisRecorder = AWSKinesisRecorder.default()!
let source = AWSCancellationTokenSource()

_ = try await kinesisRecorder.saveRecord(Data("kept".utf8), streamName: streamName, partitionKey: "k").value

// A submit in a while, unless somebody cancels it before. The token is looked at when the time is over.
let later = AWSTask<AnyObject>(delay: 1_000, cancellationToken: source.token)
let submit = later.continueOnSuccessWith(block: { _ in kinesisRecorder.submitAllRecords() })

let registration = source.token.registerCancellationObserver { print("told: cancelled") }
source.cancel()
_ = try? await submit.value
registration.dispose()
print("the delay was cancelled: \(later.isCancelled), and so was the chain: \(submit.isCancelled)")

// A submit that somebody gives up ends at once.
let givenUp: AWSTask<AnyObject> = kinesisRecorder.submitAllRecords(cancellationToken: source.token)
_ = try? await givenUp.value
print("the submit was given up: \(givenUp.isCancelled); the record is stored: \(kinesisRecorder.statistics!.stored)")

// A continuation with a cancelled token does not run.
let skipped = AWSTask<AnyObject>(result: nil).continueWith(
    executor: .immediate(),
    block: { _ in
        print("never printed")
        return nil
    },
    cancellationToken: source.token
)
print("the continuation was cancelled: \(skipped.isCancelled)")

// Submitted after all.
_ = try await kinesisRecorder.submitAllRecords().value
print("the record is stored: \(kinesisRecorder.statistics!.stored)")
