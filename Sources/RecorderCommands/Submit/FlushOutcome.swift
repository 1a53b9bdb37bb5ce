import RecorderEngine

/// What one submit came to, in the words and numbers of the command line.
struct FlushOutcome: Sendable {
    var delivered = 0
    /// One line for each stream that kept records, or for the whole.
    var troubles: [String] = []
    /// nil where all went well.
    var status: ExitStatus?

    init(_ result: Result<FlushReport, RecorderError>) {
        switch result {
        case .success(let report):
            delivered = report.delivered
            // What a signal held back is no trouble.
            let failures = report.failures.filter { !$0.error.isCancellation }
            troubles = failures.map { "\($0.stream): \($0.error.message)" }
            status = failures.first.map { ExitStatus($0.error) }
        case .failure(let error) where error.isCancellation: break
        case .failure(let error):
            troubles = [error.message]
            status = ExitStatus(error)
        }
    }
}
