import FoundationEssentials
import RecordFormats
import RecorderStore

/// `export [STREAM...]`: prints the stored records, and removes none.
struct ExportCommand: Command {
    static let spec = CommandSpec(
        name: "export",
        summary: "print the stored records, without removing them",
        arguments: [.init(name: "STREAM", isOptional: true, isRepeated: true)],
        options: [.onlyKinesis, .onlyFirehose, .raw] + OptionSpec.store,
        details: """
            Prints every record, or those of the streams that are named, stream by stream, oldest first; without --raw \
            as a line of JSON each: service, stream, partitionKey (absent for Firehose), savedAt, for a record saved without \
            a key storeID and ordinal, by which `audit` names it, and data in base64. `\(Program.name) import -` stores such \
            lines again.

            Works while programs save and submit. A record that is delivered meanwhile may be missing; what is saved \
            after the start is left out. The caches of Amplify clients are printed too: --key is their region. \
            If nothing is stored for a stream that is named, the exit status is 66.
            """,
        examples: [
            .init(line: "kinesis-recorder export > records.jsonl", meaning: "a copy of what the program stores"),
            .init(line: "kinesis-recorder export clicks --raw | tail -n 3", meaning: "the newest lines of a stream"),
            .init(
                line: "kinesis-recorder export -d /mnt/old | kinesis-recorder import -",
                meaning: "copy between stores"
            ),
        ]
    )

    let session: Session

    func run() throws(CommandFailure) -> ExitStatus {
        let stored = try StoredStreams(session)
        // Its files are closed last; without this, that depends on how much the compiler optimises.
        defer { withExtendedLifetime(stored) {} }
        let names = session.invocation.arguments
        let missing = names.filter { stored.streams(named: $0).isEmpty }
        for name in missing { session.console.error(stored.nothingStored(for: name)) }
        var output = BufferedOutput(session.console)
        for stream in stored.streams
        where names.isEmpty || StreamSelection(names).contains(stream.summary.name) {
            guard try export(stream, to: &output) else { break }
        }
        output.flush()
        return missing.isEmpty ? .success : .noInput
    }

    /// Returns false if the output cannot be written.
    private func export(_ stream: StoredStreams.Stream, to output: inout BufferedOutput) throws(CommandFailure) -> Bool
    {
        let isRaw = session.invocation.has(.raw)
        var position = stream.contents.start(of: stream.summary)
        while true {
            let page: [ContentRecord]
            do {
                page = try stream.contents.page(at: &position)
            } catch {
                output.flush()
                throw CommandFailure(error)
            }
            guard !page.isEmpty else { return true }
            for record in page {
                if isRaw {
                    output.append(record.data)
                } else {
                    output.append(try ExportLine(record, of: stream).text)
                }
                output.endLine()
            }
            if output.hasFailed { return false }
        }
    }
}

extension OptionSpec {
    fileprivate static let raw = OptionSpec("raw", help: "print the data only, and a newline after each record")
}

/// One record as a line of JSON.
struct ExportLine: Codable {
    let service: String?
    let stream: String
    let partitionKey: String?
    /// When it was saved, by ISO 8601 in UTC.
    let savedAt: String?
    /// The store and the number in the key of a record that was saved without one.
    let storeID: String?
    let ordinal: Int64?
    let data: Data
    /// Why and when the service rejected it; nil for a record that is stored.
    private(set) var code: String?
    private(set) var message: String?
    private(set) var rejectedAt: String?

    init(_ record: ContentRecord, of stream: StoredStreams.Stream) {
        service = stream.service
        self.stream = stream.name
        partitionKey = record.partitionKey
        savedAt = Self.text(of: record.savedAt)
        storeID = record.identity?.storeID
        ordinal = record.identity?.ordinal
        data = record.data
    }

    init(_ copy: RejectedRecord, of service: String) {
        self.service = service
        stream = copy.stream.rawValue
        partitionKey = copy.partitionKey
        savedAt = Self.text(of: copy.savedAt)
        let identity = copy.partitionKey.flatMap { RecordIdentity(partitionKey: $0) }
        storeID = identity?.storeID
        ordinal = identity?.ordinal
        data = copy.data
        (code, message, rejectedAt) = (copy.code, copy.message, Self.text(of: copy.rejectedAt))
    }

    private static func text(of date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The line without its end. Other characters than ASCII are escaped if a terminal must not get them.
    var text: String {
        get throws(CommandFailure) {
            let line = try JSONText.line(of: self)
            return line.utf8.allSatisfy { $0 < 0x7F } ? line : Visible.json(line)
        }
    }
}
