// A server in Swift 6: many writers that wait until their record is durable, and one task that sends all records.
//
//     Server STREAM

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

let streamName = CommandLine.arguments[1]

/// Saves and sends the events.
struct EventLog: Sendable {
    private let recorder = AWSKinesisRecorder.default()!

    init() {
        recorder.diskByteLimit = 1 << 30
        // Concurrent requests for one stream: faster on a slow network, but the order of records is not kept.
        recorder.maxConcurrentRequests = 4
    }

    /// Returns when the event is durable; thousands of callers share one commit.
    func write(_ event: String, user: Int) async throws {
        let saved = recorder.saveRecord(Data(event.utf8), streamName: streamName, partitionKey: "user \(user)")!
        _ = try await saved.value
    }

    /// Sends stored events repeatedly until the task is cancelled. Errors are printed; the next round tries again.
    func drain(every pause: Duration) async {
        while !Task.isCancelled {
            await submit()
            try? await Task.sleep(for: pause)
        }
    }

    func submit() async {
        do {
            _ = try await recorder.submitAllRecords().value
        } catch is CancellationError {
            // The drain was cancelled.
        } catch {
            print("not sent: \(error.localizedDescription)")
        }
    }

    var counts: AWSRecorderStatistics { get throws { recorder.statistics! } }
}

let log = EventLog()
let drain = Task { await log.drain(every: .milliseconds(50)) }

// Simulated requests to the server, each with a few events.
try await withThrowingTaskGroup(of: Void.self) { group in
    for user in 0..<100 {
        group.addTask {
            for number in 0..<20 { try await log.write(#"{"user":\#(user),"event":\#(number)}"#, user: user) }
        }
    }
    try await group.waitForAll()
}
print("saved \(try log.counts.saved) events of 100 users")

// Shutdown: no more writers, one last submit.
drain.cancel()
await drain.value
await log.submit()
let counts = try log.counts
print("delivered \(counts.delivered), left on disk \(counts.stored)")
