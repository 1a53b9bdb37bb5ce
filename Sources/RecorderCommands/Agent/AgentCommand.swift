import FileFollowing
import LineRecords
import RecorderAWS
import RecorderEngine

/// `agent`: runs the flows of an Amazon Kinesis Agent's configuration.
struct AgentCommand: Command {
    static let spec = CommandSpec(
        name: "agent",
        summary: "run the flows of an Amazon Kinesis Agent's configuration",
        options: [.configuration] + OptionSpec.sending + [.followLimit, .maximumAge, .metricsFile, .previewsFiles]
            + RecordFields.options + OptionSpec.log + OptionSpec.store + OptionSpec.service,
        runsUntilStopped: true,
        details: """
            Follows the files of each flow as `follow` does, and sends their lines as `save --submit` does. The file is \
            the agent's own, unchanged, with its comments. What has no effect here is named once; what would change the \
            records, such as dataProcessingOptions other than SINGLELINE, is an error, and nothing is read.

            The options for region, profile and endpoint come before the settings of the file, these before the environment. \
            Without --region, it is that of the file or of its endpoint's host, the machine's, or us-east-1, the agent's \
            default. Positions are kept in the store, with the records; the agent's checkpoints are not read.

            At the --limit of the store nothing more is read: the lines wait in their files. A flow that stores less than \
            its share goes on: a stream that cannot be reached stops its own flow only. \
            SIGINT and SIGTERM end the command with status 0, and so does SIGHUP when its terminal is closed; without a \
            terminal, as in a service, SIGHUP is ignored with a warning: restart the command to read the file again. A second \
            signal after half a second or more ends it at once.
            """,
        examples: [
            .init(
                line: "kinesis-recorder agent --configuration /etc/aws-kinesis/agent.json",
                meaning: "in place of the agent"
            ),
            .init(
                line: "kinesis-recorder agent --configuration agent.json --dry-run",
                meaning: "check a configuration, and see which files it names"
            ),
        ]
    )

    private let session: Session
    private let configuration: AgentConfiguration
    private let file: String
    private let services: [AgentService]
    private let metrics: MetricsFile?
    private let stop = StopSignal.shared

    init(session: Session) throws(CommandFailure) {
        self.session = session
        guard let file = session.invocation.value(.configuration) else {
            throw CommandFailure(
                .usage,
                message: "agent: name the file with --configuration, as in /etc/aws-kinesis/agent.json."
            )
        }
        self.file = file
        configuration = try AgentConfiguration(file: file)
        metrics = try MetricsFile(session, sends: true)
        services = try AgentService.all(of: configuration, session, metrics: metrics)
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let start = ContinuousClock.now
        for warning in configuration.warnings { session.console.warning("\(file): \(warning)") }
        if session.invocation.has(.previewsFiles) { return try preview() }
        for service in services { try metrics.checking(service.check) }
        let submitters = services.map { service in
            BackgroundSubmitter(
                service.pipeline,
                console: session.console,
                stop: stop,
                buffer: service.buffer,
                metrics: metrics
            )
        }
        try metrics?.start()
        for submitter in submitters { try submitter.start() }
        let manager = session.serviceManager
        stop.whenStopped { manager.stopping() }
        let destinations = Set(configuration.flows.map(\.destination))
        let first = configuration.flows[0].destination.stream
        let streams = destinations.count == 1 ? first : "\(destinations.count) streams"
        let targets = zip(services, submitters).flatMap { service, submitter in
            service.targets.map { FileFlowTarget($0.flow, in: service.pipeline, saved: submitter.saved) }
        }
        let follower = FileFollower(targets: targets, console: session.console, stop: stop, metrics: metrics?.run) {
            manager.ready("following files into \(streams)")
        }
        let end = try await follower.run()
        for submitter in submitters { _ = await submitter.finish() }
        await metrics?.finish()
        for service in services { service.discards.finish() }
        session.console.report(end.summary(of: streams, elapsed: ContinuousClock.now - start))
        return .success
    }

    /// Checks what can be checked without opening a store, and prints the files of each flow.
    private func preview() throws(CommandFailure) -> ExitStatus {
        for service in services {
            try service.checkSettings()
            for target in service.targets {
                session.console.print(FlowPreview(target.flow, to: service.pipeline.service).text)
            }
        }
        return .success
    }
}

extension AgentConfiguration {
    private static let longest = 1 << 20

    /// Reads a file.
    init(file: String) throws(CommandFailure) {
        let text: [UInt8]?
        do throws(ConfigurationFailure) {
            text = try SmallFile.bytes(of: file, limit: Self.longest)
        } catch {
            throw CommandFailure(.noInput, message: error.message)
        }
        guard let text else { throw CommandFailure(.noInput, message: "\(file) cannot be read: it does not exist.") }
        do throws(ConfigurationFailure) {
            try self.init(text)
        } catch {
            throw CommandFailure(.configuration, message: "\(file): \(error.message)")
        }
    }
}

extension OptionSpec {
    static let configuration = OptionSpec(
        "configuration",
        letter: "c",
        value: "FILE",
        completion: .files,
        help: "the agent's configuration, such as /etc/aws-kinesis/agent.json"
    )
}
