import RecorderStore

/// The streams that have records, in the stores of a command. Reads the stores without changing them.
struct StoredStreams {
    /// One stream of one store.
    struct Stream {
        /// As `kinesis` or `amplify-firehose`.
        let service: String
        let contents: StoreContents
        let summary: StreamSummary

        /// The name or ARN as it was saved.
        var name: String { summary.name.rawValue }
    }

    let streams: [Stream]

    /// Opens every store of the command.
    init(_ session: Session) throws(CommandFailure) {
        var found: [Stream] = []
        for store in try session.storesWithClients() {
            let contents = try CommandFailure.wrapping(try StoreContents(at: store.location))
            for summary in contents.streams {
                found.append(Stream(service: store.service, contents: contents, summary: summary))
            }
        }
        streams = found
    }

    /// The streams of a name or an ARN; a name also finds streams that were saved under an ARN.
    func streams(named name: String) -> [Stream] {
        streams.filter { StreamSelection([name]).contains($0.summary.name) }
    }

    /// What to say if there is none of that name.
    func nothingStored(for name: String) -> String {
        let hint = Suggestions.hint(for: name, in: streams.map(\.name))
        return "nothing is stored for \(name).\(hint) `\(Program.name) status` lists the streams."
    }
}
