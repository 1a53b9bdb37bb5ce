import Foundation
import RecorderEngine

/// `clear`: removes what is stored, after a question.
struct ClearCommand: Sendable {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        var removed = 0
        for (service, location) in try session.existingStores() {
            let pipeline = try session.pipeline(service)
            let totals = try CommandFailure.naming { () throws(RecorderError) in try pipeline.totals() }
            guard totals.records > 0 else { continue }
            let what = "\(Formatting.records(totals.records)) (\(Formatting.bytes(totals.bytes))) in \(location.path)"
            guard try isWanted("Remove \(what) without sending?") else {
                session.console.report("\(service.name): nothing was removed.")
                continue
            }
            let result = await pipeline.cleared()
            removed += try CommandFailure.naming { () throws(RecorderError) in try result.get() }
        }
        session.console.report("removed \(Formatting.records(removed)).")
        return .success
    }

    private func isWanted(_ question: String) throws(CommandFailure) -> Bool {
        if session.invocation.has(.yes) { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(.usage, "clear: there is no terminal to ask on. Give --yes to remove all the same.")
        }
        session.console.ask("\(question) [y/N] ")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }
}

/// `import FILE`: takes over the database of an original.
struct ImportCommand: Sendable {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let pipeline = try session.pipeline(session.service)
        switch await pipeline.imported(from: session.invocation.arguments[0]) {
        case .success(let result):
            var text = "imported \(Formatting.records(result.imported))"
            if result.skipped > 0 {
                text +=
                    "; \(Formatting.count(result.skipped)) have a stream name that the service cannot have, and stay"
            }
            session.console.report(text)
            return result.skipped > 0 ? .refusedRecords : .success
        case .failure(let error):
            throw CommandFailure(error)
        }
    }
}

extension RecordPipeline {
    fileprivate func cleared() async -> Result<Int, RecorderError> {
        await withCheckedContinuation { continuation in clear { continuation.resume(returning: $0) } }
    }

    fileprivate func imported(from path: String) async -> Result<Import, RecorderError> {
        await withCheckedContinuation { continuation in
            importRecords(from: path) { continuation.resume(returning: $0) }
        }
    }
}
