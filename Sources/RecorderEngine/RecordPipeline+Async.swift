package import FoundationEssentials
package import RecorderStore

/// The calls with completions, for asynchronous code.
extension RecordPipeline {
    /// Saves a record; returns once it is durable. If the queue is full this suspends until there is room, at most for
    /// `policy.saveTimeout`.
    package func save(_ payload: Data?, stream: String?, partitionKey: String?) async throws(RecorderError) {
        let policy = policy
        let record = try checkedRecord(payload, stream: stream, partitionKey: partitionKey, by: policy)
        let result = await withCheckedContinuation { continuation in
            let save = PendingSave(.one(record), policy: policy, sequence: nil) { continuation.resume(returning: $0) }
            saves.appendLater(save)
        }
        try result.get()
    }

    /// Sends every record saved before the call; cancelling the task cancels nothing.
    package func flush() async throws(RecorderError) -> FlushReport {
        let result = await withCheckedContinuation { continuation in
            flush { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Removes every record saved before the call, without sending it, or those of some streams; returns their number.
    package func clear(_ selection: StreamSelection? = nil) async throws(RecorderError) -> Int {
        let result = await withCheckedContinuation { continuation in
            clear(selection) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Imports the records of a database of the AWS SDK's recorders or of an Amplify client, once.
    package func importRecords(from path: String) async throws(RecorderError) -> Import {
        let result = await withCheckedContinuation { continuation in
            importRecords(from: path) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Returns when no more records are being discarded because of limits.
    package func limitsEnforced() async {
        await withCheckedContinuation { continuation in saves.whenLimitsEnforced { continuation.resume() } }
    }
}
