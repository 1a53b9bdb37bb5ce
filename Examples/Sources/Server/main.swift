// A server's shape, in Swift 6: many writers that wait for their record to be safe, one drain that sends them all.
//
//     Server STREAM

// What cannot be nil here is unwrapped, as the originals' users do.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

let streamName = CommandLine.arguments[1]

/// The one place that knows how events are kept and sent.
struct EventLog: Sendable {
    private let recorder = AWSKinesisRecorder.default()!

    init() {
        recorder.diskByteLimit = 1 << 30
        // Requests of one stream side by side: faster where the network is slow, and no order among them.
        recorder.maxConcurrentRequests = 4
    }

    /// Returns once the event is on disk; thousands of callers share one commit.
    func write(_ event: String, user: Int) async throws {
        let saved = recorder.saveRecord(Data(event.utf8), streamName: streamName, partitionKey: "user \(user)")!
        _ = try await saved.value
    }

    /// Sends what is stored, again and again, until the task is cancelled; trouble is printed and waits for the next round.
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
            // Nobody waits for it any more.
        } catch {
            print("not sent now: \(error.localizedDescription)")
        }
    }

    var counts: AWSRecorderStatistics { get throws { recorder.statistics! } }
}

let log = EventLog()
let drain = Task { await log.drain(every: .milliseconds(50)) }

// Requests that a server would answer, each with a few events.
try await withThrowingTaskGroup(of: Void.self) { group in
    for user in 0..<100 {
        group.addTask {
            for number in 0..<20 { try await log.write(#"{"user":\#(user),"event":\#(number)}"#, user: user) }
        }
    }
    try await group.waitForAll()
}
print("saved \(try log.counts.saved) events of 100 users")

// The end: no more writers, one last drain.
drain.cancel()
await drain.value
await log.submit()
let counts = try log.counts
print("delivered \(counts.delivered), left on disk \(counts.stored)")
