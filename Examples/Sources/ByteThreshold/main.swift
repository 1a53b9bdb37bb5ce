// A submit triggered by the number of stored bytes instead of a timer: notificationByteThreshold.
//
//     ByteThreshold STREAM

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Dispatch
import Foundation

let streamName = CommandLine.arguments[1]
let kinesisRecorder = AWSKinesisRecorder.default()!
let submitted = DispatchSemaphore(value: 0)

kinesisRecorder.notificationByteThreshold = 4_000
// One notification when the threshold is crossed; without this, one for each save above it.
kinesisRecorder.notifiesOnCrossingOnly = true

let observer = NotificationCenter.default.addObserver(
    forName: .AWSKinesisRecorderByteThresholdReached,
    object: kinesisRecorder,
    queue: nil
) { note in
    let bytes = note.userInfo?[AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey] as? Int ?? 0
    print("\(bytes) bytes are stored: submitting")
    kinesisRecorder.submitAllRecords().continueWith(block: { task in
        print(task.error.map { "Error: \($0.localizedDescription)" } ?? "submitted")
        submitted.signal()
        return nil
    })
}

// Each record takes 120 bytes of data, 7 of key and 64 of overhead: the 21st is the first above 4,000.
for number in 1...21 {
    let text = String(format: "measurement %03d", number).padding(toLength: 120, withPad: ".", startingAt: 0)
    kinesisRecorder.saveRecord(Data(text.utf8), streamName: streamName, partitionKey: "sensor1")
}
submitted.wait()
NotificationCenter.default.removeObserver(observer)
print("\(kinesisRecorder.diskBytesUsed) bytes left on disk")
