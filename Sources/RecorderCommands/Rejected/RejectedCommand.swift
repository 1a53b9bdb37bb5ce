import FoundationEssentials
import RecorderEngine
import RecorderStore

/// `rejected [STREAM...]`: the copies of records that the service did not accept.
struct RejectedCommand: Command {
    static let spec = CommandSpec(
        name: "rejected",
        summary: "show, restore or remove the kept copies of rejected records",
        arguments: [.init(name: "STREAM", isOptional: true, isRepeated: true)],
        options: [.onlyKinesis, .onlyFirehose, .json, .restore, .clear, .yes] + OptionSpec.store,
        details: """
            Copies are made if --keep-rejected is given to the command that sends, or if a program sets `keepsRejected`: of \
            each record that leaves the store because the service calls it invalid, or because it failed too often \
            (RetriesExhausted). A store keeps up to 1,000, with up to 4 MiB of data and keys; the oldest ones go first.

            Shows for each copy its stream, the service's code, how long ago it was rejected, its size and how its data \
            begins. --json prints all of it and the service's message, in lines as `export` prints them, which \
            `\(Program.name) import -` stores again. Neither removes a copy.

            --restore saves them again, with their streams, keys and data, and removes the copies in the same \
            transaction; their age begins again, and no size limit applies. The next submit sends them: a record that \
            is still invalid is rejected again. --clear removes the copies, and asks for confirmation, unless --yes is given.
            """,
        examples: [
            .init(line: "kinesis-recorder rejected", meaning: "a table"),
            .init(
                line: "kinesis-recorder rejected clicks --json | jq -r '.message, (.data | @base64d)'",
                meaning: "what the service said of a stream's records, and their text"
            ),
            .init(line: "kinesis-recorder rejected --restore", meaning: "for the next submit"),
        ]
    )

    private struct Store {
        let service: StreamServiceDescription
        let location: StoreLocation
        let copies: RejectedRecords
    }

    private let session: Session
    private let names: [String]

    init(session: Session) throws(CommandFailure) {
        self.session = session
        names = session.invocation.arguments
        try session.invocation.checkExclusion(of: [.json, .restore, .clear])
    }

    private var selection: StreamSelection? { names.isEmpty ? nil : StreamSelection(names) }

    func run() async throws(CommandFailure) -> ExitStatus {
        let stores = try stores()
        if session.invocation.has(.json) { return try printLines(of: stores) }
        if stores.isEmpty {
            let streams = names.isEmpty ? "" : " of \(names.joined(separator: ", "))"
            session.console.print("no rejected records\(streams) are kept.")
        } else if session.invocation.has(.restore) {
            try await restore(stores)
        } else if session.invocation.has(.clear) {
            try await clear(stores)
        } else {
            for store in stores { show(store) }
        }
        return .success
    }

    /// The stores that have copies of these streams.
    private func stores() throws(CommandFailure) -> [Store] {
        var found: [Store] = []
        for (service, location) in try session.readableStores() {
            let copies = try CommandFailure.wrapping(try RejectedRecords(at: location, of: selection))
            if copies.damaged > 0 {
                let count = Formatting.counted(copies.damaged, "copy", plural: "copies")
                session.console.error(
                    "\(location.path): \(count) altered by damage; --clear without STREAM removes them."
                )
            }
            if !copies.records.isEmpty || copies.damaged > 0 && names.isEmpty {
                found.append(Store(service: service, location: location, copies: copies))
            }
        }
        return found
    }

    private func printLines(of stores: [Store]) throws(CommandFailure) -> ExitStatus {
        var output = BufferedOutput(session.console)
        for store in stores {
            for copy in store.copies.records {
                output.append(try ExportLine(copy, of: store.service.name).text)
                output.endLine()
            }
        }
        output.flush()
        return .success
    }

    private func show(_ store: Store) {
        session.console.print("\(store.service.name), \(store.location.path): \(Self.summary(of: store))")
        var rows = [["STREAM", "CODE", "REJECTED", "SIZE"]]
        for copy in store.copies.records {
            let age = Duration.seconds(max(Formatting.whole(Date().timeIntervalSince(copy.rejectedAt)), 0))
            let size = ByteCount(copy.data.count).description
            rows.append([copy.stream.rawValue, copy.code, "\(Formatting.age(age)) ago", size])
        }
        let starts = store.copies.records.map { PeekCommand.start(of: $0.data) }
        session.console.print(TextTable.text(rows, lastColumn: ["DATA"] + starts))
    }

    private func restore(_ stores: [Store]) async throws(CommandFailure) {
        for store in stores {
            let pipeline = try session.pipeline(for: store.service, at: store.location)
            do {
                let count = try await pipeline.restoreRejected(selection)
                session.console.report("\(store.service.name): restored \(Formatting.records(count)).")
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    private func clear(_ stores: [Store]) async throws(CommandFailure) {
        for store in stores {
            guard try session.isConfirmed("Remove \(Self.summary(of: store)) in \(store.location.path)?") else {
                session.console.report("\(store.service.name): nothing was removed.")
                continue
            }
            let pipeline = try session.pipeline(for: store.service, at: store.location)
            do {
                let count = try await pipeline.clearRejected(selection)
                session.console.report(
                    "\(store.service.name): removed \(Formatting.counted(count, "copy", plural: "copies"))."
                )
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    private static func summary(of store: Store) -> String {
        let count = store.copies.records.count + store.copies.damaged
        let bytes = store.copies.records.reduce(0) { $0 + $1.data.count }
        return "\(Formatting.counted(count, "copy", plural: "copies")) of rejected records, \(ByteCount(bytes)) of data"
    }
}

extension OptionSpec {
    fileprivate static let restore = OptionSpec("restore", help: "save the records again, and remove the copies")
    fileprivate static let clear = OptionSpec("clear", help: "remove the copies, after a confirmation")
}
