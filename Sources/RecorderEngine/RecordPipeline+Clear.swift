import RecorderConcurrency

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

    /// Does work on the write queue after all earlier saves.
    private func perform<T: Sendable>(
        _ work: @autoclosure @escaping @Sendable () throws(RecorderError) -> T,
        completion: @escaping @Sendable (Result<T, RecorderError>) -> Void
    ) {
        if let refusal = ForkedProcess.refusal { return completion(.failure(refusal)) }
        saves.afterEarlierSaves { [callbacks] in
            let result = Result(catching: work)
            callbacks.deliver { completion(result) }
        }
    }
}
