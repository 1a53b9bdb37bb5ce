import FoundationEssentials
import RecorderStore

/// `list`: the stores in the default directories of this user's programs.
struct ListCommand: Command {
    static let spec = CommandSpec(
        name: "list",
        summary: "list the stores of this user's programs",
        options: [.json, .directory],
        details: "PROGRAM and KEY are what --name and --key of the other commands take.",
        examples: [.init(line: "kinesis-recorder list", meaning: "every store in its default directory")]
    )

    let session: Session

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
        let folders = try folders()
        let stores = folders.flatMap { folder in
            StoreFile.all(in: folder.directory).map { store($0, of: folder.program) }
        }
        let unreadable = folders.map(\.directory).filter(Files.exists).compactMap { directory in
            Files.obstacle(toNamesIn: directory).map { "\(directory) cannot be read: \($0)" }
        }
        if session.invocation.has(.json) {
            session.console.print(json: try JSONText.text(of: stores))
        } else if stores.isEmpty {
            if unreadable.isEmpty { session.console.print("no stores found.") }
        } else {
            let head = ["PROGRAM", "SERVICE", "KEY", "RECORDS", "BYTES"]
            let rows = stores.map { store in
                [
                    store.program ?? "-", store.service, store.key ?? "-",
                    store.records.map { Formatting.count($0) } ?? "?",
                    store.bytes.map { ByteCount($0).description } ?? "?",
                ]
            }
            session.console.print(TextTable.text([head] + rows))
            for store in stores { if let error = store.error { session.console.error(error) } }
        }
        for message in unreadable { session.console.error(message) }
        return stores.isEmpty && !unreadable.isEmpty ? .storage : .success
    }

    /// The directories that may hold stores, with the program that each belongs to.
    private func folders() throws(CommandFailure) -> [(program: String?, directory: String)] {
        let location = try session.location(of: .kinesis)
        try session.checkDirectory(of: location)
        let own = URL(fileURLWithPath: location.directory)
        // Either DIR or STATE/PROGRAM/com.amazonaws.AWSKinesisRecorder.
        let program = own.deletingLastPathComponent()
        guard program.lastPathComponent == Program.name, session.invocation.value(.directory) == nil else {
            return [(nil, own.path)] + programs(in: own.path)
        }
        return programs(in: program.deletingLastPathComponent().path)
    }

    private func programs(in state: String) -> [(program: String?, directory: String)] {
        Files.names(in: state).map { ($0, StoreLocation.directory(of: $0, in: state)) }
    }

    private func store(_ file: StoreFile, of program: String?) -> Store {
        var totals: StoreTotals?
        var message: String?
        do {
            totals = try StoreView(at: file.location).totals()
        } catch {
            message = error.sentence
        }
        return Store(
            program: program,
            service: file.service,
            key: file.key,
            path: file.location.path,
            records: totals?.records,
            bytes: totals?.bytes,
            error: message
        )
    }
}
