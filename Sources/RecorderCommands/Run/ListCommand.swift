import Foundation
import RecorderEngine

/// `list`: the stores that lie where this user's programs keep theirs by default.
struct ListCommand: Sendable {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    private struct Store: Encodable {
        let program: String?
        let service: String
        let key: String?
        let path: String
        let records: Int?
        let bytes: Int?
        let error: String?
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let stores = try folders().flatMap { folder in
            StoreFile.all(in: folder.directory).map { store(folder.program, $0) }
        }
        if session.invocation.has(.json) {
            session.console.print(json: try JSONText.text(of: stores))
        } else if stores.isEmpty {
            session.console.print("there is no store.")
        } else {
            let head = ["PROGRAM", "SERVICE", "KEY", "RECORDS", "BYTES"]
            let rows = stores.map { store in
                [
                    store.program ?? "-", store.service, store.key ?? "-",
                    store.records.map { Formatting.count($0) } ?? "?", store.bytes.map { Formatting.bytes($0) } ?? "?",
                ]
            }
            session.console.print(TextTable.text([head] + rows))
            for store in stores { if let error = store.error { session.console.error(error) } }
        }
        return .success
    }

    /// The directories that may hold stores, with the program that each belongs to.
    private func folders() throws(CommandFailure) -> [(program: String?, directory: String)] {
        let own = URL(fileURLWithPath: try session.location(of: .kinesis).directory)
        // DIR, or STATE/PROGRAM/com.amazonaws.AWSKinesisRecorder.
        let program = own.deletingLastPathComponent()
        guard program.lastPathComponent == CommandTable.program, session.invocation.value(.directory) == nil else {
            return [(nil, own.path)]
        }
        let state = program.deletingLastPathComponent()
        return Files.names(in: state.path).map { name in
            (name, state.appendingPathComponent(name).appendingPathComponent(own.lastPathComponent).path)
        }
    }

    private func store(_ program: String?, _ file: StoreFile) -> Store {
        let totals = Result { () throws(RecorderError) in try RecordStore(at: { file.location }).totals() }
        var (records, bytes, error): (Int?, Int?, String?)
        switch totals {
        case .success(let totals): (records, bytes) = (totals.records, totals.bytes)
        case .failure(let failure): error = failure.message
        }
        return Store(
            program: program,
            service: file.service,
            key: file.key,
            path: file.location.path,
            records: records,
            bytes: bytes,
            error: error
        )
    }
}
