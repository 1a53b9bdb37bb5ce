import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// Logs the faults of saves with invalid arguments, because callers often ignore the task: once for each cause and stream.
final class SaveFaultLog: Sendable {
    private struct Case: Hashable {
        let cause: RecorderError.Fault
        let stream: String
    }

    /// The number of cases that are remembered. Names made from user input could be any number.
    private static let limit = 100

    private let logged = Locked<Set<Case>>([])

    /// Logs the error of a save with an invalid record, unless one for the same cause and stream was logged before.
    func log(_ error: RecorderError, records: Int = 1, stream: String?) {
        guard case .invalidRecord(let cause, let text) = error else { return }
        let name = (stream ?? "").sanitized(limit: 128)
        let number = logged.withLock { logged in
            guard logged.count < Self.limit, logged.insert(Case(cause: cause, stream: name)).inserted else { return 0 }
            return logged.count
        }
        guard number > 0 else { return }
        let later =
            number == Self.limit
            ? "No more warnings of this kind are logged." : "Later saves with the same fault are not logged."
        let subject =
            records == 1
            ? "A record for the stream \"\(name)\" was" : "\(records) records for the stream \"\(name)\" were"
        RecorderLog.warning("\(subject) not saved: \(text) \(later)")
    }
}
