import RecorderConcurrency

/// Changes of the store besides saves and flushes. They run on the write queue, after all earlier saves.
extension RecordPipeline {
    /// Removes every record saved before the call, without sending it; `completion` gets their number.
    package func clear(completion: @escaping @Sendable (Result<Int, RecorderError>) -> Void) {
        afterEarlierSaves(completion: completion) { [store] in Result(catching: store.clear) }
    }

    /// Imports the records of a database of the AWS SDK's recorders or of an Amplify client, once.
    package func importRecords(
        from path: String,
        completion: @escaping @Sendable (Result<Import, RecorderError>) -> Void
    ) {
        afterEarlierSaves(completion: completion) { [store, service] in
            do throws(RecorderError) {
                return .success(try store.importRecords(of: .init(path: path, makeRecord: service.importedRecord)))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Does work on the write queue after all earlier saves.
    private func afterEarlierSaves<T: Sendable>(
        completion: @escaping @Sendable (Result<T, RecorderError>) -> Void,
        work: @escaping @Sendable () -> Result<T, RecorderError>
    ) {
        if let refusal = ForkedProcess.refusal { return completion(.failure(refusal)) }
        saves.afterEarlierSaves { [callbacks] in
            let result = work()
            callbacks.deliver { completion(result) }
        }
    }
}
