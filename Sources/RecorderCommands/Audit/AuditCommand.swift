import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// `audit STREAM...`: reads Kinesis streams, and says which records are missing and why.
struct AuditCommand: Command {
    static let spec = CommandSpec(
        name: "audit",
        summary: "read Kinesis streams and name the records that are missing",
        arguments: [.init(name: "STREAM", isRepeated: true)],
        options: [.since, .checkpoint, .storeDirectory, .statusFile, .json] + OptionSpec.service,
        details: """
            A record that was saved without a partition key is sent with one that names its store and counts the store's \
            records of the stream. So a record that comes twice and one that is missing can be told from the keys in the \
            stream. Records with other keys are only counted: given ones, and those of --random-keys.

            A missing record is "held" if a store that is given still has it. Otherwise it is "gone": "discarded" if the store has \
            discarded at least as many (it counts them, for all its streams together, and does not know which they were), \
            "unnamed" if it has sent at least as many with --random-keys or --omit-keys, so that no key names them, \
            else "lost". Without --store or --status every such record is "lost". "newer" ones were saved after the status \
            was taken or while the stream was read, "earlier" ones may have arrived before the reading began, or have expired \
            between two audits; neither is judged. An audit that ends early still writes what it has read to --checkpoint.

            A STREAM is a name or an ARN. One stream by both at once is refused, because its missing records would count twice.

            All shards are read, those of records that were split or merged too. It needs the permissions \
            kinesis:ListShards, kinesis:GetShardIterator and kinesis:GetRecords, and kinesis:DescribeStreamSummary to know \
            whether the stream still has all of its records. Each shard is asked at most five times a second.

            The exit status is 0 only if every missing record is explained, and 1 if one is not, or if one was not judged \
            because it may have expired: audit more often than the stream's retention, with --checkpoint. Those before --since \
            do not count.
            """,
        examples: [
            .init(
                line: "kinesis-recorder audit orders --store /var/lib/orders",
                meaning: "against the store on this machine"
            ),
            .init(
                line: "kinesis-recorder audit orders --status status.json --since 2h",
                meaning: "against `status --json` of a device, the last two hours"
            ),
            .init(
                line: "kinesis-recorder audit orders --checkpoint orders.audit",
                meaning:
                    "what came since the last audit, within the stream's retention, and the counts before"
            ),
        ]
    )

    private let session: Session
    private let streams: [StreamName]
    private let since: Date?
    private let checkpointPath: String?

    init(session: Session) throws(CommandFailure) {
        self.session = session
        since = try session.invocation.time(.since)
        checkpointPath = session.invocation.value(.checkpoint)
        let region = session.access.region
        var streams: [StreamName] = []
        for name in session.invocation.arguments {
            let stream = try CommandFailure.wrapping(
                try StreamServiceDescription.kinesis.checkStream(name) { region }
            )
            // Twice, its missing records would count twice against what the store discarded.
            if streams.contains(stream) { continue }
            let other = streams.first { $0.name == stream.name && ($0.arn == nil) != (stream.arn == nil) }
            if let other {
                let both = "\(other.rawValue) and \(stream.rawValue)"
                throw CommandFailure(
                    .usage,
                    message: "\(both) may be the same stream: name it once, or audit them one after the other."
                )
            }
            streams.append(stream)
        }
        self.streams = streams
    }

    /// A signal cancels a request under way: what was read is known.
    func run() async throws(CommandFailure) -> ExitStatus {
        let task = Task(executorPreference: Task.currentExecutor) {
            do throws(CommandFailure) {
                return Result<ExitStatus, CommandFailure>.success(try await audit())
            } catch {
                return .failure(error)
            }
        }
        let stop = StopSignal.shared
        // Once its number can be seen, which becomes the exit status.
        stop.whenStopped { stop.run(after: .zero) { task.cancel() } }
        return try await task.value.get()
    }

    private func audit() async throws(CommandFailure) -> ExitStatus {
        // Before the streams: what the store says it has sent must be in them.
        let statuses = try AuditStatuses(session: session).all()
        var checkpoint = try checkpointPath.map { (path) throws(CommandFailure) in try AuditCheckpoint(path: path) }
        // A path that cannot be written is found before the streams are read, which may take hours.
        try write(checkpoint)
        let caller = try caller()
        var readings: [AuditReport.Reading] = []
        for stream in streams {
            do throws(ServiceFailure) {
                readings.append(try await read(stream, by: caller, checkpoint: &checkpoint))
            } catch {
                try write(checkpoint)
                if let checkpointPath {
                    session.console.progress(
                        "What was read is in \(checkpointPath); the next audit with it continues there."
                    )
                }
                if let number = StopSignal.shared.number { return .signal(number) }
                throw CommandFailure(RecorderError.service(error))
            }
        }
        try write(checkpoint)
        let report = AuditReport(readings, statuses: statuses)
        session.console.endBar()
        if session.invocation.has(.json) {
            session.console.print(json: try JSONText.text(of: report))
        } else {
            session.console.print(report.text)
        }
        return report.unexplained == 0 && report.notJudged == 0 ? .success : .missingRecords
    }

    private func caller() throws(CommandFailure) -> AWSServiceCaller {
        do throws(ConfigurationFailure) {
            // Other consumers may use up what a shard allows to read.
            return try session.access.caller(for: .kinesis) { $0.maximumRetries = 10 }
        } catch {
            throw CommandFailure(.configuration(error))
        }
    }

    private func read(
        _ stream: StreamName,
        by caller: AWSServiceCaller,
        checkpoint: inout AuditCheckpoint?
    ) async throws(ServiceFailure) -> AuditReport.Reading {
        let calls = ShardCalls(stream, caller: caller)
        var reading = try await StreamReading(calls, since: since, after: checkpoint?.streams[stream.rawValue])
        // After an error, too: the next audit continues there.
        defer { checkpoint?.streams[stream.rawValue] = reading.checkpoint }
        try await reading.read { records in
            session.console.bar("\(stream): \(Formatting.records(records)) read")
        }
        return reading.result
    }

    private func write(_ checkpoint: AuditCheckpoint?) throws(CommandFailure) {
        if let checkpoint, let checkpointPath { try checkpoint.write(to: checkpointPath) }
    }
}

/// What the stores say that an audit was given.
private struct AuditStatuses {
    let session: Session

    func all() throws(CommandFailure) -> [StatusReport] {
        var reports: [StatusReport] = []
        if let path = session.invocation.value(.statusFile) { reports += try read(path) }
        if let directory = session.invocation.value(.storeDirectory) {
            if let obstacle = Files.obstacle(toNamesIn: directory) {
                throw CommandFailure(.noInput, message: "--store \(directory) cannot be read: \(obstacle)")
            }
            let stores = StoreFile.all(in: directory).filter { StatusReport.isKinesis($0.service) }
            guard !stores.isEmpty else {
                throw CommandFailure(.noInput, message: "--store \(directory): no Kinesis store is in this directory.")
            }
            for store in stores {
                reports.append(
                    try CommandFailure.wrapping(try StatusReport(of: store.location, service: store.service))
                )
            }
        }
        return reports
    }

    private static let longestStatus = 64 << 20

    private func read(_ path: String) throws(CommandFailure) -> [StatusReport] {
        let bytes: [UInt8]?
        do throws(ConfigurationFailure) {
            bytes = try SmallFile.bytes(of: path, limit: Self.longestStatus)
        } catch {
            throw CommandFailure(.noInput, message: "--status \(error.message)")
        }
        guard let bytes else {
            throw CommandFailure(.noInput, message: "--status \(path) cannot be read: \(String(errorNumber: ENOENT)).")
        }
        guard let all = try? JSONDecoder().decode([StatusReport].self, from: Data(bytes)) else {
            throw CommandFailure(
                .noInput,
                message:
                    "--status \(path): give a file that `\(Program.name) status --json` of this version has printed."
            )
        }
        let reports = all.filter { StatusReport.isKinesis($0.service) }
        if let problem = reports.compactMap(\.problem).first {
            throw CommandFailure(.noInput, message: "--status \(path): \(problem).")
        }
        return reports
    }
}

extension OptionSpec {
    fileprivate static let since = OptionSpec(
        "since",
        value: "TIME",
        help: "read what arrived since then: 2h, 3d, or 2026-11-23T09:00:00Z [the oldest record of the stream]"
    )
    fileprivate static let checkpoint = OptionSpec(
        "checkpoint",
        value: "FILE",
        completion: .files,
        help: "continue after what the audit that wrote FILE has read, and write it anew"
    )
    fileprivate static let storeDirectory = OptionSpec(
        "store",
        value: "DIR",
        completion: .directories,
        help: "explain what is missing by the stores in this directory, as `status` names it"
    )
    fileprivate static let statusFile = OptionSpec(
        "status",
        value: "FILE",
        completion: .files,
        help: "explain what is missing by what `status --json` printed, on another machine"
    )
}

extension Invocation {
    /// A time that was given as such, or as how long ago it was.
    fileprivate func time(_ option: OptionSpec) throws(CommandFailure) -> Date? {
        guard let text = value(option) else { return nil }
        if let ago = Duration(typed: text) { return Date().addingTimeInterval(-(ago / .seconds(1))) }
        if let time = try? Date(text, strategy: .iso8601) { return time }
        throw CommandFailure(
            .usage,
            message:
                "--\(option.name) \(text): give a time ago, such as 30m, 2h or 3d, or one such as 2026-11-23T09:00:00Z."
        )
    }
}
