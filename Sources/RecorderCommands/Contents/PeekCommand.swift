import FoundationEssentials
import RecorderStore

/// `peek STREAM`: the oldest records of a stream, for people.
struct PeekCommand: Command {
    static let spec = CommandSpec(
        name: "peek",
        summary: "show the oldest records of a stream, without removing them",
        arguments: [.init(name: "STREAM")],
        options: [.onlyKinesis, .onlyFirehose, .count] + OptionSpec.store,
        details: """
            Shows for each record its partition key, its age, the size of its data and how this begins: as text, or in \
            hexadecimal digits if it is not text. These are the records that the next submit sends first. \
            If nothing is stored for the stream, the exit status is 66.
            """,
        examples: [.init(line: "kinesis-recorder peek clicks --count 3", meaning: "what the next submit sends first")]
    )

    private let session: Session
    private let count: Int

    init(session: Session) throws(CommandFailure) {
        self.session = session
        count = try session.invocation.number(.count, from: 1, to: 1_000_000) ?? 10
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let stored = try StoredStreams(session)
        let name = session.invocation.arguments[0]
        let streams = stored.streams(named: name)
        if streams.isEmpty { throw CommandFailure(.noInput, message: stored.nothingStored(for: name)) }
        for stream in streams {
            let total = Formatting.records(stream.summary.records)
            session.console.print("\(stream.service), \(stream.name): \(total), \(ByteCount(stream.summary.bytes))")
            try show(stream)
        }
        return .success
    }

    private func show(_ stream: StoredStreams.Stream) throws(CommandFailure) {
        var (position, left) = (stream.contents.start(of: stream.summary), count)
        var rows = [["KEY", "AGE", "SIZE"]]
        var starts = ["DATA"]
        while left > 0 {
            let page = try CommandFailure.wrapping(try stream.contents.page(at: &position, atMost: left))
            guard !page.isEmpty else { break }
            left -= page.count
            for record in page {
                let age = Duration.seconds(max(Formatting.whole(Date().timeIntervalSince(record.savedAt)), 0))
                rows.append([record.partitionKey ?? "-", Formatting.age(age), ByteCount(record.data.count).description])
                starts.append(Self.start(of: record.data))
            }
        }
        session.console.print(TextTable.text(rows, lastColumn: starts))
    }

    private static let shownCharacters = 60

    /// The first characters of data in one line, or its first bytes.
    static func start(of data: Data) -> String {
        // A character takes up to four bytes, and the last one may be cut off.
        let bytes = data.prefix(shownCharacters * 4)
        for cut in 0..<4 where cut == 0 || bytes.count < data.count {
            guard let text = String(validating: bytes.dropLast(cut), as: UTF8.self), !text.utf8.contains(0) else {
                continue
            }
            let line = Visible.line(text.last == "\n" ? String(text.dropLast()) : text)
            return line.count > shownCharacters || bytes.count < data.count
                ? "\(line.prefix(shownCharacters))..." : line
        }
        let digits = data.prefix(shownCharacters / 2).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "0x\(digits.joined())\(data.count > shownCharacters / 2 ? "..." : "")"
    }
}

extension OptionSpec {
    fileprivate static let count = OptionSpec("count", letter: "c", value: "N", help: "how many records to show [10]")
}
