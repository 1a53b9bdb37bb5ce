/// The calls with completions, for asynchronous code.
extension RecordPipeline {
    /// Sends every record saved before the call; cancelling the task cancels nothing.
    package func flush() async throws(RecorderError) -> FlushReport {
        let result = await withCheckedContinuation { continuation in
            flush { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Removes every record saved before the call, without sending it; returns their number.
    package func clear() async throws(RecorderError) -> Int {
        let result = await withCheckedContinuation { continuation in
            clear { continuation.resume(returning: $0) }
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
}
