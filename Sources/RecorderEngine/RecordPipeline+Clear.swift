import RecorderConcurrency
package import RecorderStore

/// Changes of the store besides saves and flushes. They run on the write queue, after all earlier saves.
extension RecordPipeline {
    /// Removes every record saved before the call, without sending it, or those of some streams; `completion` gets their number.
    package func clear(
        _ selection: StreamSelection? = nil,
        completion: @escaping @Sendable (Result<Int, RecorderError>) -> Void
    ) {
        perform(try self.store.clear(selection), completion: completion)
    }

    /// Imports the records of a database of the AWS SDK's recorders or of an Amplify client, once.
    package func importRecords(
        from path: String,
        completion: @escaping @Sendable (Result<Import, RecorderError>) -> Void
    ) {
        let source = LegacyDatabase.Source(path: path, makeRecord: service.importedRecord)
        perform(try self.store.importRecords(of: source), completion: completion)
    }

    /// Puts the copies of rejected records back, or those of some streams, as new saves with the same keys and data, to which no
    /// limit applies; returns their number. One transaction saves them and removes the copies.
    package func restoreRejected(_ selection: StreamSelection? = nil) async throws(RecorderError) -> Int {
        try await changeRejected(.restore, of: selection)
    }

    /// Removes the copies of rejected records, or those of some streams; returns their number.
    package func clearRejected(_ selection: StreamSelection? = nil) async throws(RecorderError) -> Int {
        try await changeRejected(.clear, of: selection)
    }

    private func changeRejected(
        _ change: StoreWriter.RejectedChange,
        of selection: StreamSelection?
    ) async throws(RecorderError) -> Int {
        let result = await withCheckedContinuation { continuation in
            changeRejected(change, of: selection) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func changeRejected(
        _ change: StoreWriter.RejectedChange,
        of selection: StreamSelection?,
        completion: @escaping @Sendable (Result<Int, RecorderError>) -> Void
    ) {
        perform(try self.store.changeRejected(change, of: selection), completion: completion)
    }

    /// Does work on the write queue after all earlier saves.
    private func perform<T: Sendable>(
        _ work: @autoclosure @escaping @Sendable () throws(RecorderError) -> T,
        completion: @escaping @Sendable (Result<T, RecorderError>) -> Void
    ) {
        if let refusal = ForkedProcess.refusal { return completion(.failure(refusal)) }
        saves.afterEarlierSaves { [callbacks] refusal in
            let result = refusal.map { .failure($0) } ?? Result(catching: work)
            callbacks.deliver { completion(result) }
        }
    }
}
