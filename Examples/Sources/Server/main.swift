// A server in Swift 6: many writers that wait until their record is durable, and one task that sends all records.
//
//     Server STREAM

import Foundation
import KinesisRecorders

let streamName = CommandLine.arguments[1]

/// Saves and sends the events.
struct EventLog: Sendable {
    private let recorder: AWSKinesisRecorder

    init() throws {
        recorder = try AWSKinesisRecorder()
        // Concurrent requests for one stream: faster on a slow network, but the order of records is not kept.
        recorder.maxConcurrentRequests = 4
    }

    /// Returns when the event is durable; thousands of callers share one commit.
    func write(_ event: String, user: Int) async throws {
        try await recorder.save(Data(event.utf8), to: streamName, partitionKey: "user \(user)")
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
            try await recorder.submit()
        } catch is CancellationError {
            // The drain was cancelled.
        } catch {
            print("not sent: \(error.localizedDescription)")
        }
    }

    /// Nil if the store cannot be read.
    var counts: AWSRecorderStatistics? { recorder.statistics }
}

let log = try EventLog()
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
print("saved \(log.counts?.saved ?? 0) events of 100 users")

// Shutdown: no more writers, one last submit.
drain.cancel()
await drain.value
await log.submit()
let counts = log.counts
print("delivered \(counts?.delivered ?? 0), left on disk \(counts?.stored ?? 0)")
