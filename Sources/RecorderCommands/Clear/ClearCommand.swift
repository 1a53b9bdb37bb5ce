import RecorderEngine
import RecorderStore

/// `clear`: removes what is stored, after a confirmation.
struct ClearCommand: Command {
    static let spec = CommandSpec(
        name: "clear",
        summary: "remove what is stored, without sending it",
        options: [.onlyKinesis, .onlyFirehose, .stream, .yes, .previewsRemoval] + OptionSpec.store,
        details:
            "Asks for confirmation, unless --yes is given. Removed records cannot be restored. Copies of rejected records stay: "
            + "`rejected --clear` removes them.",
        examples: [
            .init(line: "kinesis-recorder clear --firehose", meaning: "the Firehose store, after a question"),
            .init(line: "kinesis-recorder clear --stream test --yes", meaning: "one stream"),
        ]
    )

    let session: Session

    func run() async throws(CommandFailure) -> ExitStatus {
        var (removed, isEmpty) = (0, true)
        for (service, location) in try session.existingStores() {
            let pipeline = try session.pipeline(for: service)
            let load = try CommandFailure.wrapping(try pipeline.stored(in: session.selection))
            guard load.records > 0 else { continue }
            isEmpty = false
            let names = session.selection == nil ? "" : " of \(load.streams.joined(separator: ", "))"
            let what = "\(Formatting.records(load.records))\(names) (\(ByteCount(load.bytes))) in \(location.path)"
            guard !session.invocation.has(.previewsRemoval) else {
                session.console.print("would remove \(what).")
                continue
            }
            guard try session.isConfirmed("Remove \(what) without sending?") else {
                session.console.report("\(service.name): nothing was removed.")
                continue
            }
            do {
                removed += try await pipeline.clear(session.selection)
            } catch {
                throw CommandFailure(error)
            }
        }
        if isEmpty {
            session.console.report(try session.nothingStored())
            return .success
        }
        guard !session.invocation.has(.previewsRemoval) else { return .success }
        session.console.report("removed \(Formatting.records(removed)).")
        return .success
    }
}

extension OptionSpec {
    fileprivate static let previewsRemoval = dryRun("print what would be removed, and remove nothing")
}
