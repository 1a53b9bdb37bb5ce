// Discarding records: diskByteLimit and diskAgeLimit, and the notification for each discard.
//
//     Limits

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

let kinesisRecorder = AWSKinesisRecorder.default()!

let observer = NotificationCenter.default.addObserver(
    forName: .AWSRecorderDidDiscardRecords,
    object: kinesisRecorder,
    queue: nil
) { note in
    let reason = note.userInfo?[AWSRecorderDiscardReasonKey] ?? ""
    let count = note.userInfo?[AWSRecorderDiscardCountKey] ?? 0
    let streams = note.userInfo?[AWSRecorderDiscardStreamNamesKey] as? [String] ?? []
    print("discarded: \(count) of \(streams.joined(separator: ", ")), for \(reason)")
}

func save(_ text: String) async throws {
    _ = try await kinesisRecorder.saveRecord(Data(text.utf8), streamName: "offline", partitionKey: "k").value
}

func show(_ title: String) {
    let counts = kinesisRecorder.statistics!
    print("\(title): \(counts.stored) stored, \(counts.evicted) evicted, \(counts.expired) expired")
}

// Three records of 10 + 1 + 64 bytes fit; the fourth evicts the oldest.
kinesisRecorder.diskByteLimit = 3 * 75
for number in 1...4 { try await save("record \(String(format: "%03d", number))") }
show("after 4 saves within 225 bytes")

// Records expire at this age; the next save or submit discards them.
kinesisRecorder.diskByteLimit = 0
kinesisRecorder.diskAgeLimit = 0.05
try await Task.sleep(for: .milliseconds(100))
try await save("young")
show("after a save 0.1 s later, with an age limit of 0.05 s")

kinesisRecorder.diskAgeLimit = 0
_ = try await kinesisRecorder.removeAllRecords().value
show("after removeAllRecords()")
